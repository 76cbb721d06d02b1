import { AnchorEvalError, type Issue } from "anchoreval";
import { expect, test } from "vitest";
import { reportError } from "../../../../cli/src/program/errors.ts";
import { createOutput, printable } from "../../../../cli/src/program/output.ts";

function failing(message: string, issues: readonly Issue[]): string {
  let err = "";
  const streams = { stdout: { write: () => true }, stderr: { write: (text: string) => (err += text) } };
  expect(reportError(new AnchorEvalError("invalid_data", message, { issues }), streams, false)).toBe(2);
  return err;
}

const issue = (path: Issue["path"], message: string): Issue => ({ path, code: "x", message });

test("an error whose message says all is said once", () => {
  const err = failing('board.csv: row 2, column "a": a score is in [0,1]', [
    issue(["board.csv", 2, "a"], "a score is in [0,1]"),
  ]);
  expect(err).toBe('anchoreval: board.csv: row 2, column "a": a score is in [0,1] [invalid_data]\n');
});

test("a terminal is shown control characters, and obeys none", () => {
  const title = "\u001b]0;mine\u0007\u009b2J\u202egnp.exe\ttab\nline";
  expect(printable(title)).toBe("\\u{1b}]0;mine\\u{7}\\u{9b}2J\\u{202e}gnp.exe\ttab\nline");
  expect(printable("naïve 🙂 – “quoted”")).toBe("naïve 🙂 – “quoted”");
  expect(failing(title, [])).not.toContain("\u001b");
  let out = "";
  const streams = {
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (out += text) },
  };
  const output = createOutput({ json: false, quiet: false }, streams);
  output.line(title);
  output.remark(title);
  output.result({}, [title]);
  expect(out.split("\n")).toHaveLength(7);
  expect(out).not.toMatch(/[^\P{Cc}\n\t]/u);
});

test("what the message doesn't say follows, ten lines at most", () => {
  expect(failing("1 answer cannot be scored", [issue(["responses", "gsm/1"], "too large")])).toContain(
    "\n  responses, gsm/1: too large\n",
  );
  const many = Array.from({ length: 12 }, (_, k) => issue([k], "too large"));
  const err = failing("12 answers", many);
  expect(err.split("\n")).toHaveLength(1 + 10 + 1 + 1);
  expect(err).toContain("  … and 2 more\n");
});

test("options that the library names are the program's, in issues too", () => {
  expect(failing("2 runs: give `onDuplicate` newest", [issue(["a"], "or `modelName`")])).toBe(
    "anchoreval: 2 runs: give --on-duplicate newest [invalid_data]\n  a: or --model-name\n",
  );
});

test("a host that asks for a token: where tokens are read from", () => {
  let err = "";
  const streams = { stdout: { write: () => true }, stderr: { write: (text: string) => (err += text) } };
  const error = new AnchorEvalError("unauthorized" as never, "https://evals.example.com: 401: reading quiz requires …");
  expect(reportError(error, streams, false)).toBe(1);
  expect(err).toContain("ANCHOREVAL_READ_TOKENS (HOST=TOKEN,…)");
});

test("an error of the program itself is a defect, exit code 1", () => {
  let err = "";
  const streams = { stdout: { write: () => true }, stderr: { write: (text: string) => (err += text) } };
  expect(reportError(new TypeError("x is undefined"), streams, true)).toBe(1);
  expect(err).toContain("this is a defect, please report it:\nTypeError: x is undefined");
});
