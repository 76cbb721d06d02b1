import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { AnchorEvalError, type Issue, invalidOption } from "anchoreval/internal/core/errors";
import { hasCode, replaceFile, whyNot } from "anchoreval/internal/node/write-file";
import { printable, programWords, type Streams } from "./output.ts";

const USAGE_CODES: ReadonlySet<string> = new Set([
  "invalid_data",
  "invalid_option",
  "invalid_answers",
  "ambiguous_form",
  "unknown_form",
  "unknown_scenario",
  "item_changed",
  "digest_mismatch",
  "bundle_invalid",
  "bundle_corrupt",
  "bundle_format_unsupported",
  "bundle_newer",
  "bundle_untrusted",
  "yanked_version",
  "not_found",
  "unsupported",
]);

const SHOWN_ISSUES = 10;

/** Refuses a path that is a folder, or is in none. @throws AnchorEvalError `invalid_option` */
export async function checkFilePlace(option: string, file: string): Promise<void> {
  const isFolder = async (path: string): Promise<boolean> =>
    (await stat(path).catch(() => null))?.isDirectory() === true;
  if (!(await isFolder(dirname(file))))
    throw invalidOption(`${option} ${file} can't be written: ${dirname(file)} isn't a folder`);
  if (await isFolder(file)) throw invalidOption(`${option} ${file} can't be written: it is a folder`);
}

/** Writes a file, and says which one where that fails. @throws AnchorEvalError `unavailable` */
export async function writing<T>(file: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    throw new AnchorEvalError("unavailable", `${file} could not be written: ${whyNot(cause)}`, { cause });
  }
}

/** Writes a file wholly or not at all, in the place of one that is there. @throws AnchorEvalError `unavailable` */
export function writeOver(file: string, text: string | Uint8Array): Promise<void> {
  return writing(file, () => replaceFile(file, text));
}

/**
 * Says what went wrong: on standard error, and with `--json` as a document too.
 * @returns the exit code: 2 for what the caller can mend, else 1
 */
export function reportError(raised: unknown, { stdout, stderr }: Streams, json: boolean): number {
  const error = ofDisk(raised);
  const say = (words: string): void => void stderr.write(`${printable(words)}\n`);
  if (!(error instanceof AnchorEvalError)) {
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    say(`anchoreval: this is a defect, please report it:\n${words}`);
    return 1;
  }
  const { code } = error;
  const message = programWords(error.message);
  const issues = error.issues.map((issue) => ({ ...issue, message: programWords(issue.message) }));
  if (json) stdout.write(`${JSON.stringify({ error: { code, message, issues } }, null, 2)}\n`);
  say(`anchoreval: ${message} [${code}]`);
  if (!saysItsIssues(message, issues)) {
    for (const issue of issues.slice(0, SHOWN_ISSUES)) say(`  ${issue.path.join(", ")}: ${issue.message}`);
    if (issues.length > SHOWN_ISSUES) say(`  … and ${issues.length - SHOWN_ISSUES} more`);
  }
  if ((code as string) === "unauthorized")
    say("  Tokens are those of ANCHOREVAL_READ_TOKENS (HOST=TOKEN,…) to read, and of ANCHOREVAL_TOKEN to publish.");
  return USAGE_CODES.has(code) ? 2 : 1;
}

/** An error of the disk is no defect, wherever in a command it is met. */
function ofDisk(error: unknown): unknown {
  if (error instanceof AnchorEvalError || !hasCode(error, "ENOSPC", "EDQUOT", "EROFS")) return error;
  const { path = "a file" } = error as NodeJS.ErrnoException;
  return new AnchorEvalError("unavailable", `${path} could not be written: ${whyNot(error)}`, { cause: error });
}

/** True where the message says all that the only issue says, or has a table of them. */
function saysItsIssues(message: string, issues: readonly Issue[]): boolean {
  const [only, ...more] = issues;
  if (message.includes("\n")) return true;
  return (
    only !== undefined &&
    more.length === 0 &&
    [only.message, ...only.path.map(String)].every((part) => message.includes(part))
  );
}
