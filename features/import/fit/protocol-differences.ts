import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { COMPARED_FIELDS, PROTOCOL_WORDS } from "anchoreval/internal/logs/protocol";
import { groupBy } from "anchoreval/internal/logs/run-log";
import { counted } from "anchoreval/internal/words/figures";
import type { RunScores } from "./run-scores.ts";

/** A field in which the runs on a task differ: who has which value. */
export interface ProtocolDifference {
  readonly task: string;
  readonly field: (typeof COMPARED_FIELDS)[number];
  readonly values: readonly { readonly value: string; readonly models: readonly string[] }[];
}

/** Fields in which the runs on the same task differ. A field that a log doesn't hold is no difference. */
export function findProtocolDifferences(runs: readonly RunScores[]): ProtocolDifference[] {
  const differences: ProtocolDifference[] = [];
  for (const [task, ofTask] of groupBy(runs, (run) => run.log.task))
    for (const field of COMPARED_FIELDS) {
      const saying = ofTask.filter((run) => run.protocol[field] !== null);
      const compared = field === "taskArguments" ? withOtherArguments(saying) : saying;
      const values = groupBy(compared, (run) => shown(run.protocol[field]!));
      if (values.size < 2) continue;
      differences.push({
        task,
        field,
        values: [...values]
          .map(([value, same]) => ({ value, models: [...new Set(same.map((run) => run.log.model))] }))
          .sort((left, right) => right.models.length - left.models.length),
      });
    }
  return differences;
}

/** Runs that asked a document with other task arguments than another run: arguments may choose the documents, too. */
function withOtherArguments(runs: readonly RunScores[]): RunScores[] {
  const keysOf = ({ documents, hashes }: RunScores): string[] =>
    documents.map((document, sample) => hashes[sample] ?? `id ${document}`);
  const passed = new Map<string, Set<string>>();
  for (const run of runs)
    for (const key of keysOf(run)) passed.set(key, (passed.get(key) ?? new Set()).add(run.protocol.taskArguments!));
  return runs.filter((run) => keysOf(run).some((key) => passed.get(key)!.size > 1));
}

/** @throws AnchorEvalError `invalid_data` with a table of who differs, where runs do */
export function refuseMixedProtocols(differences: readonly ProtocolDifference[]): void {
  if (differences.length === 0) return;
  throw new AnchorEvalError(
    "invalid_data",
    `the runs were not made alike, so their scores don't compare; leave the odd ones out, or give \`allowMixed\`:\n${differenceTable(differences)}`,
    {
      issues: differences.map(({ task, field, values }) => ({
        path: [task, field],
        code: "mixed_protocol",
        message: values.map(({ value, models }) => `${value}: ${named(models)}`).join("; "),
      })),
    },
  );
}

const MOST_LINES = 20;

/** Lines `task, field: value: models`; tasks that differ in the same way share a line. */
export function differenceTable(differences: readonly ProtocolDifference[]): string {
  const alike = groupBy(differences, ({ field, values }) => JSON.stringify([field, values]));
  const lines = [...alike.values()].flatMap((group) => {
    const [{ field, values }] = group as [ProtocolDifference];
    const tasks =
      group.length === 1 ? group[0]!.task : `${group[0]!.task} and ${counted(group.length - 1, "more task")}`;
    return [
      `  ${tasks}: ${PROTOCOL_WORDS[field]}`,
      ...values.map(({ value, models }) => `    ${value.padEnd(16)} ${named(models)}`),
    ];
  });
  return [...lines.slice(0, MOST_LINES), ...(lines.length > MOST_LINES ? ["  …"] : [])].join("\n");
}

function named(models: readonly string[]): string {
  const few = models.slice(0, 3).join(", ");
  return models.length > 3 ? `${few} and ${models.length - 3} more` : few;
}

function shown(value: string | number | boolean): string {
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}
