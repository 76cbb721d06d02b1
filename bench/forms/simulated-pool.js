// A simulated benchmark of multiple-choice items in Chinese, and models' answers to "the same" items in English: what a
// translated benchmark looks like whose own items nobody has answered yet.
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { simulateLeaderboard } from "anchoreval-trainer";

const PEOPLE = ["小明", "小红", "王老师", "李医生", "张工程师", "陈同学"];
const THINGS = ["苹果", "邮票", "书", "螺丝", "样本", "车票"];
const LETTERS = ["A", "B", "C", "D"];

/**
 * @param items - how many, 14 042 as MMLU @param subjects - 57 as there @param models - that answered them in English
 * @param seed - of everything
 * @returns `columns` and `rows` of the Chinese table (ID, Question, A–D, Answer, Subject), `matrix` of the English answers,
 * whose item ids are the IDs
 */
export function simulatedPool({ items = 14_042, subjects = 57, models = 60, seed = 1 } = {}) {
  const { matrix } = simulateLeaderboard({
    items,
    models,
    seed,
    scenarios: subjects,
    scenarioSpread: 0.8,
    subscenarioShare: 0,
  });
  const random = createRandom(seed).fork("chinese items");
  const pick = (values) => values[random.below(values.length)];
  const rows = matrix.items.map(({ scenario }, i) => {
    const [first, second] = [2 + random.below(90), 2 + random.below(90)];
    const question =
      `第${i + 1}题，${pick(PEOPLE)}说：“我有${first}个${pick(THINGS)}。”` +
      `${pick(PEOPLE)}问："再来${second}个"呢？\n一共有多少个, 请选择。`;
    const key = random.below(4);
    const options = LETTERS.map((_, option) => `${first + second + 3 * (option - key)}个`);
    return [String(i), question, ...options, LETTERS[key], `科目_${scenario.split("-")[1].padStart(2, "0")}`];
  });
  return {
    columns: ["ID", "Question", ...LETTERS, "Answer", "Subject"],
    rows,
    matrix: { ...matrix, items: matrix.items.map((item, i) => ({ item_id: String(i), scenario: item.scenario })) },
  };
}
