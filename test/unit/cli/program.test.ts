import { runProgram, type Program } from "anchoreval/cli";
import { AnchorEvalError, type Issue } from "anchoreval/core";
import { expect, test } from "vitest";

async function failing(message: string, issues: readonly Issue[]): Promise<string> {
  let err = "";
  const program: Program = {
    name: "made-up",
    summary: "fails",
    version: "0.0.0",
    commands: [
      {
        name: "fail",
        summary: "fails",
        options: {},
        run: () => Promise.reject(new AnchorEvalError("invalid_data", message, { issues })),
      },
    ],
  };
  const streams = { stdout: { write: () => true }, stderr: { write: (text: string) => (err += text) } };
  expect(await runProgram(program, ["fail"], streams)).toBe(2);
  return err;
}

const issue = (path: Issue["path"], message: string): Issue => ({ path, code: "x", message });

test("an error whose message says all is said once", async () => {
  const err = await failing('board.csv: row 2, column "a": a score is in [0,1]', [
    issue(["board.csv", 2, "a"], "a score is in [0,1]"),
  ]);
  expect(err).toBe('made-up: board.csv: row 2, column "a": a score is in [0,1] [invalid_data]\n');
});

test("what the message doesn't say follows, ten lines at most", async () => {
  expect(await failing("1 answer cannot be scored", [issue(["responses", "gsm/1"], "too large")])).toContain(
    "\n  responses, gsm/1: too large\n",
  );
  const many = Array.from({ length: 12 }, (_, k) => issue([k], "too large"));
  const err = await failing("12 answers", many);
  expect(err.split("\n")).toHaveLength(1 + 10 + 1 + 1);
  expect(err).toContain("  … and 2 more\n");
});
