import { createRandom } from "anchoreval/internal/core/numeric/random";
import {
  responseMatrix,
  type ItemInfo,
  type ResponseMatrix,
} from "../../offline-trainer/src/matrix/response-matrix.ts";

/** Words that only one topic's questions have. */
const TOPICS = [
  ["enzyme", "protein", "membrane", "neuron", "genome", "bacteria"],
  ["treaty", "empire", "monarch", "revolution", "parliament", "colony"],
  ["integral", "matrix", "polynomial", "theorem", "vector", "prime"],
] as const;

/**
 * Questions with texts of three topics, answered by six models, each with one topic that it knows better: who is best
 * can be told from the text. The subscenarios are `train` and `test`, two thirds and one third.
 * @param edge - logits by which a model does better on its own topic; 0 for none
 */
export function topicBoard(items: number, edge: number, seed: number): ResponseMatrix {
  const random = createRandom(seed).fork("topic board");
  const models = Array.from({ length: 6 }, (_, m) => `model-${m}`);
  const questions = Array.from({ length: items }, (_, i) => {
    const topic = random.below(TOPICS.length);
    const words = Array.from({ length: 6 }, () => TOPICS[topic]![random.below(6)]!);
    const info: ItemInfo = {
      item_id: `q/${i}`,
      scenario: "quiz",
      subscenario: i % 3 === 2 ? "test" : "train",
      text: `Question ${i}: what of ${words.slice(0, 3).join(", ")} has to do with ${words.slice(3).join(" or ")}?`,
    };
    return { topic, info, hard: random.normal() };
  });
  const scores = new Float64Array(models.length * items);
  models.forEach((_, m) => {
    questions.forEach(({ topic, hard }, i) => {
      const logit = 0.1 * m - hard + (m % TOPICS.length === topic ? edge : 0);
      scores[m * items + i] = Number(random.next() < 1 / (1 + Math.exp(-logit)));
    });
  });
  return responseMatrix(
    models,
    questions.map(({ info }) => info),
    scores,
  );
}
