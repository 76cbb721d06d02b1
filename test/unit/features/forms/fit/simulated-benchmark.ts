import { createRandom } from "anchoreval/internal/core/numeric/random";
import { simulateLeaderboard } from "anchoreval-trainer";
import type { ItemTable } from "../../../../../offline-trainer/src/matrix/item-table.ts";
import type { ResponseMatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";

/**
 * A simulated benchmark of multiple-choice items in Chinese, and models' answers to "the same" items in English: what a
 * translated benchmark looks like whose own items nobody has answered yet.
 */
export interface SimulatedBenchmark {
  readonly table: ItemTable;
  readonly matrix: ResponseMatrix;
}

const PEOPLE = ["小明", "小红", "王老师", "李医生", "张工程师", "陈同学"];
const THINGS = ["苹果", "邮票", "书", "螺丝", "样本", "车票"];
const LETTERS = ["A", "B", "C", "D"];

/** The table has the columns ID, Question, A to D, Answer and Subject; item ids of the answers are the IDs. */
export function simulatedBenchmark(shape: { items: number; subjects: number; models: number }): SimulatedBenchmark {
  const { items, subjects, models } = shape;
  const seed = 1;
  const { matrix } = simulateLeaderboard({
    items,
    models,
    seed,
    scenarios: subjects,
    scenarioSpread: 0.8,
    subscenarioShare: 0,
  });
  const random = createRandom(seed).fork("chinese items");
  const pick = (values: readonly string[]): string => values[random.below(values.length)]!;
  const rows = matrix.items.map(({ scenario }, i) => {
    const [first, second] = [2 + random.below(90), 2 + random.below(90)];
    const question =
      `第${i + 1}题，${pick(PEOPLE)}说：“我有${first}个${pick(THINGS)}。”` +
      `${pick(PEOPLE)}问："再来${second}个"呢？\n一共有多少个, 请选择。`;
    const key = random.below(4);
    const options = LETTERS.map((_, option) => `${first + second + 3 * (option - key)}个`);
    return [String(i), question, ...options, LETTERS[key]!, `科目_${scenario.split("-")[1]!.padStart(2, "0")}`];
  });
  const columns = ["ID", "Question", ...LETTERS, "Answer", "Subject"];
  return {
    table: { name: "items.csv", columns, rows, lines: rows.map((_, k) => k + 2) },
    matrix: { ...matrix, items: matrix.items.map((item, i) => ({ item_id: String(i), scenario: item.scenario })) },
  };
}
