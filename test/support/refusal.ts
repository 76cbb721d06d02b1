import type { AnchorEvalErrorCode, Issue } from "anchoreval";
import { expect } from "vitest";

/** What a test reads of a refusal: by code, not class, since tests mix the built package with its source. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly issues: readonly Issue[];
  readonly cause?: unknown;
}

/** The error that `act` throws; fails where it throws nothing or no AnchorEvalError. */
export function refusal(act: () => unknown): Refusal {
  try {
    act();
  } catch (error) {
    return asRefusal(error);
  }
  throw new Error("nothing was refused");
}

/** The error that a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<Refusal> {
  try {
    await promise;
  } catch (error) {
    return asRefusal(error);
  }
  throw new Error("nothing was refused");
}

/** Asserts code and a fragment of the message. */
export function expectRefusal(error: Refusal, code: AnchorEvalErrorCode, fragment: string): void {
  expect({ code: error.code, message: error.message }).toEqual({
    code,
    message: expect.stringContaining(fragment) as string,
  });
}

function asRefusal(error: unknown): Refusal {
  expect(error).toMatchObject({ name: "AnchorEvalError" });
  return error as Refusal;
}
