import { setImmediate as turn } from "node:timers/promises";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { abilityCovariances, fittedAnswers, type FittedAnswers, itemAtFit, ITEMS_AT_A_TIME } from "./fitted-answers.ts";
import { benjaminiHochberg, residualGroupsTest } from "./item-fit.ts";
import { itemCopies, nearCopies, type NearCopies, sharedPairWork, textPairs } from "./near-copies.ts";
import { itemStatistics } from "./item-statistics.ts";
import type { LearnedScenario } from "../../../offline-trainer/src/fit/forms.ts";
import type { ReportOptions } from "../../../offline-trainer/src/report/report-data.ts";
import { sameTexts } from "../../../offline-trainer/src/matrix/same-text.ts";
import { codeResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import { type AuditedItem, auditedItems, type ItemEvidence } from "./findings.ts";

/** Multiplications and additions spent on pairs of items: about two seconds. */
const PAIR_WORK = 2e9;

/**
 * Evidence against the items of a fit by its own calibration: item-rest correlations, everyone right or wrong, copies by
 * text and by answers, and the residual test. Not likely wrong keys, which take as long as all of these together; for them
 * see {@link auditLeaderboard}. Copies by answers and misfit need the 2PL of right and wrong answers: other fits have none.
 * @param scenarios - columns count through them
 * @returns all items by rank, those without findings last
 * @throws AnchorEvalError `aborted`
 */
export async function diagnoseFit(
  scenarios: readonly LearnedScenario[],
  { signal, onProgress }: ReportOptions = {},
): Promise<AuditedItem[]> {
  const items = scenarios.flatMap(({ scenario }) => scenario.matrix.items);
  const pause = async (done: number): Promise<void> => {
    onProgress?.(done / items.length);
    await turn();
    if (signal?.aborted) throw new AnchorEvalError("aborted", "the audit of the items was stopped");
  };
  const work = sharedPairWork(
    scenarios.map(({ scenario }) => scenario),
    PAIR_WORK,
  );
  const p = new Float64Array(items.length).fill(NaN);
  const diagnosed: { begin: number; audit: { items: ItemEvidence[]; copies: NearCopies; likeness: [] } }[] = [];
  let begin = 0;
  for (const [s, learned] of scenarios.entries()) {
    const { scenario, trained } = learned;
    await pause(begin);
    const answers = calibratedAnswers(learned);
    let copies: NearCopies = { pairs: [], compared: 0, comparable: 0 };
    if (answers) {
      const covariances = abilityCovariances(answers);
      for (let i = 0; i < answers.items; i++) {
        if (i % ITEMS_AT_A_TIME === 0) await pause(begin + i);
        p[begin + i] = residualGroupsTest(answers, itemAtFit(answers, i, covariances))?.p ?? NaN;
      }
      await pause(begin + answers.items);
      const families = Int32Array.from(trained.rows, (m) => scenario.families[m]!);
      copies = nearCopies(answers, families, work[s]!);
    }
    const evidence = itemStatistics(scenario.matrix, scenario).map((statistics) => ({ statistics, key: null }));
    diagnosed.push({ begin, audit: { items: evidence, copies, likeness: [] } });
    begin += scenario.count;
  }
  await pause(begin);
  return auditedItems({
    matrix: { items },
    scenarios: diagnosed,
    q: { residualGroups: benjaminiHochberg(p), sX2: new Float64Array(items.length).fill(NaN) },
    copies: itemCopies(textPairs(sameTexts(items)), diagnosed),
  });
}

/** The answers that a scenario was calibrated on; null where that wasn't by the 2PL. */
function calibratedAnswers({ scenario: { matrix }, trained, choice }: LearnedScenario): FittedAnswers | null {
  if (choice.irtModel !== "2pl") return null;
  return fittedAnswers(codeResponses(matrix, trained.rows, trained.threshold), trained.calibration);
}
