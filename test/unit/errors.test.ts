import { AnchorEvalError } from "anchoreval";
import { expect, test } from "vitest";

test("an error has a code, a message, issues and a cause", () => {
  const cause = new TypeError("fetch failed");
  const issues = [{ path: ["row 3", "gsm/17"], code: "out_of_range", message: "2 is not in [0, 1]" }];
  const error = new AnchorEvalError("invalid_data", "row 3 is wrong", { cause, issues });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ name: "AnchorEvalError", code: "invalid_data", message: "row 3 is wrong", issues });
  expect(error.cause).toBe(cause);
  expect(String(error)).toBe("AnchorEvalError: row 3 is wrong");
  expect(error.stack).toContain("errors.test.ts");
});

test("without issues the list is empty, without a cause there is none", () => {
  const error = new AnchorEvalError("aborted", "stopped");
  expect(error.issues).toEqual([]);
  expect(Object.hasOwn(error, "cause")).toBe(false);
});
