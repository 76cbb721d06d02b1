import { createRandom } from "anchoreval/core";
import type { CalibrationBackend } from "../calibrate/types.ts";
import { answeringModels } from "../fit/answering-models.ts";
import { bankTasks } from "../fit/bank-tasks.ts";
import { dimsFor, type FitConfiguration } from "../fit/configuration.ts";
import { interruptible } from "../backends/interruptible.ts";
import type { ScenarioGroup } from "../matrix/benchmark.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { sameTexts } from "../matrix/same-text.ts";
import { auditBank, type BankAudit } from "./audit-bank.ts";
import { benjaminiHochberg } from "./benjamini-hochberg.ts";
import { itemCopies, textPairs, type ItemCopy, type TextPair } from "./item-copies.ts";
import { modelFamilies } from "./model-families.ts";

/** How a leaderboard is audited. */
export interface AuditOptions {
  /** Its weighting and whether one ability is for all scenarios. */
  readonly configuration: FitConfiguration;
  /** Latent dimensions at most; few models get fewer. */
  readonly dims: number;
  readonly seed: number;
  readonly backend: CalibrationBackend;
  /** Share of the answers that are held out for the likelihood; 0 for none. */
  readonly heldOut: number;
  /** Family by model. @default by the models' names */
  readonly families?: ReadonlyMap<string, string>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, of: number, note: string) => void;
}

/** The diagnosis of a whole leaderboard. Items are columns of the matrix. */
export interface Audit {
  readonly matrix: ResponseMatrix;
  /** Each with its items' place in the matrix: they follow each other. */
  readonly banks: readonly { readonly begin: number; readonly audit: BankAudit }[];
  /** q-values of the items' tests over all items; NaN where there was no test. */
  readonly q: { readonly residualGroups: Float64Array; readonly sX2: Float64Array };
  /** Pairs of items of which one may be enough, the surest first. */
  readonly copies: readonly ItemCopy[];
  /** Different families among the models. */
  readonly families: number;
}

/** Multiplications and additions for the pairs of items: about ten seconds. */
const PAIR_WORK = 2e10;

/**
 * Audits every item and model of a leaderboard.
 * @param matrix - columns grouped by scenario and subscenario
 * @throws AnchorEvalError `invalid_data` for fewer than five models, `aborted`
 */
export async function auditLeaderboard(matrix: ResponseMatrix, options: AuditOptions): Promise<Audit> {
  const { configuration, dims, seed, heldOut, signal, onProgress } = options;
  const backend = interruptible(options.backend);
  const families = modelFamilies(matrix, options.families);
  const texts = textPairs(sameTexts(matrix.items));
  const tasks = bankTasks(matrix, configuration);
  const pairs = (task: ScenarioGroup): number => task.matrix.items.length ** 2 * task.matrix.subjects.length;
  const allPairs = tasks.reduce((sum, task) => sum + pairs(task), 0);
  const banks: { begin: number; audit: BankAudit }[] = [];
  let begin = 0;
  for (const [index, task] of tasks.entries()) {
    const end = begin + task.matrix.items.length;
    const rows = answeringModels(task);
    const audit = await auditBank(task, rows, {
      dims: dimsFor(dims, rows.length),
      backend,
      random: createRandom(seed).fork(task.id),
      families,
      heldOut,
      pairWork: (PAIR_WORK * pairs(task)) / allPairs,
      pairs: within(texts, begin, end),
      ...(signal && { signal }),
      onProgress: (done, next) => onProgress?.(index + done, tasks.length, `${task.id}: ${next}`),
    });
    banks.push({ begin, audit });
    begin = end;
  }
  const items = banks.flatMap(({ audit }) => audit.items);
  return {
    matrix,
    banks,
    q: {
      residualGroups: benjaminiHochberg(items.map(({ residualGroups }) => residualGroups?.p ?? NaN)),
      sX2: benjaminiHochberg(items.map(({ sX2 }) => sX2?.p ?? NaN)),
    },
    copies: itemCopies(texts, banks),
    families: new Set(families).size,
  };
}

/** Pairs of which both items lie in a bank, as its columns. */
function within(pairs: readonly TextPair[], begin: number, end: number): [number, number][] {
  return pairs
    .filter(({ items: [one, other] }) => one >= begin && other < end)
    .map(({ items: [one, other] }) => [one - begin, other - begin]);
}
