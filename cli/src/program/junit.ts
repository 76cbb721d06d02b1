import type { CheckResult } from "anchoreval/internal/features/sdk";
import type { OptionReader } from "./command.ts";
import { writeOver } from "./errors.ts";
import { addSummary } from "./summary.ts";

/** One rule of a check as a test case. */
export interface RuleCase {
  readonly name: string;
  /** `error`: there is none. */
  readonly verdict: CheckResult["verdict"] | "error";
  /** The figures that the verdict goes by, or why there is none. */
  readonly words: string;
}

/**
 * Writes a check as JUnit XML, a test case a rule: what regressed is a failure, what can't be told is skipped, what
 * could not be checked is an error.
 * @param suite - name of the test suite
 * @param notes - lines for the suite's output
 * @throws AnchorEvalError `unavailable`
 */
export async function writeJunit(
  file: string,
  suite: string,
  cases: readonly RuleCase[],
  notes: readonly string[],
): Promise<void> {
  await writeOver(file, junitXml(suite, cases, notes));
}

/**
 * Writes into the files of `--summary` and `--junit` why there is no result, unless it is about that file.
 * @throws AnchorEvalError `unavailable`
 */
export async function noteFailure(command: string, options: OptionReader, message: string): Promise<void> {
  const fileOf = (name: string): string | undefined => {
    const file = options.text(name);
    return file === undefined || message.includes(file) ? undefined : file;
  };
  const [summary, junit] = [fileOf("summary"), fileOf("junit")];
  await addSummary(summary, `anchoreval ${command}: no result`, [message]);
  if (junit !== undefined)
    await writeJunit(junit, `anchoreval ${command}`, [{ name: "a result", verdict: "error", words: message }], [message]); // prettier-ignore
}

function junitXml(suite: string, cases: readonly RuleCase[], notes: readonly string[]): string {
  const count = (verdict: RuleCase["verdict"]): number => cases.filter((rule) => rule.verdict === verdict).length;
  const totals = `tests="${cases.length}" failures="${count("regressed")}" errors="${count("error")}" skipped="${count("undecided")}"`;
  const outcome = ({ verdict, words }: RuleCase): string =>
    verdict === "passed"
      ? ""
      : verdict === "regressed"
        ? `<failure message="${escaped(words)}" type="regressed"></failure>`
        : verdict === "error"
          ? `<error message="${escaped(words)}" type="error"></error>`
          : `<skipped message="${escaped(`can't tell: ${words}`)}"></skipped>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="anchoreval check" ${totals}>`,
    `  <testsuite name="${escaped(suite)}" ${totals}>`,
    ...cases.map(
      (rule) =>
        `    <testcase classname="${escaped(suite)}" name="${escaped(rule.name)}">${outcome(rule)}<system-out>${escaped(rule.words)}</system-out></testcase>`,
    ),
    `    <system-out>${escaped(notes.join("\n"))}</system-out>`,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

/** Text in XML; characters that XML 1.0 can't have are left out. */
function escaped(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex -- those that XML can't have
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
  );
}
