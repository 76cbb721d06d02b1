import { createRandom } from "anchoreval/internal/core/numeric/random";
import {
  groupItems,
  type ItemInfo,
  responseMatrix,
  type ResponseMatrix,
} from "../../../offline-trainer/src/matrix/response-matrix.ts";

export interface LeaderboardShape {
  readonly models?: number;
  /** Items of each scenario; the second has two subscenarios of unequal size. */
  readonly items?: readonly number[];
  readonly dims?: number;
  readonly missing?: number;
  /** Scores in [0,1] instead of 0 and 1. */
  readonly graded?: boolean;
  readonly seed?: number;
}

/** A leaderboard drawn from the 2PL with abilities that are shared by all scenarios, items in a bundle's order. */
export function smallLeaderboard({
  models = 30,
  items = [60, 40],
  dims = 1,
  missing = 0,
  graded = false,
  seed = 1,
}: LeaderboardShape = {}): ResponseMatrix {
  const random = createRandom(`small leaderboard ${seed}`);
  const infos = items.flatMap((count, s) =>
    Array.from({ length: count }, (_, i): ItemInfo => {
      const scenario = "abcdef"[s]!;
      return {
        item_id: `${scenario}/${i}`,
        scenario,
        ...(s === 1 && { subscenario: i < count / 4 ? "few" : "many" }),
      };
    }),
  );
  const theta = Array.from({ length: models * dims }, () => random.normal());
  const parameters = infos.map(() => ({
    a: Array.from({ length: dims }, (_, d) => (d === 0 ? Math.exp(0.3 * random.normal()) : 1.2 * random.normal())),
    b: 1.2 * random.normal(),
  }));
  const scores = new Float64Array(models * infos.length);
  for (let m = 0; m < models; m++)
    parameters.forEach(({ a, b }, i) => {
      const z = a.reduce((sum, slope, d) => sum + slope * theta[m * dims + d]!, -b);
      const p = 1 / (1 + Math.exp(-z));
      const right = random.next() < p ? 1 : 0;
      const score = graded ? Math.round(10 * (0.5 * right + 0.5 * p * random.next())) / 10 : right;
      scores[m * infos.length + i] = random.next() < missing ? NaN : score;
    });
  return groupItems(
    responseMatrix(
      Array.from({ length: models }, (_, m) => `org/model-${m}`),
      infos,
      scores,
    ),
  );
}

/** The matrix with some scores replaced; NaN = no answer. */
export function withScores(
  matrix: ResponseMatrix,
  change: (model: number, item: number, score: number) => number,
): ResponseMatrix {
  const { subjects, items, scores, observed } = matrix;
  return responseMatrix(
    subjects,
    items,
    Float64Array.from(scores, (score, k) =>
      change(Math.floor(k / items.length), k % items.length, observed?.[k] === 0 ? NaN : score),
    ),
  );
}
