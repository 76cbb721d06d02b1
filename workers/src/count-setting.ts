import { HttpProblem } from "./problem.ts";

/**
 * A setting that counts something. What was set in the dashboard comes as text.
 * @throws HttpProblem `misconfigured` for what is no whole number above 0: no limit would hold
 */
export function countSetting(name: string, value: number | string | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  const count = Number(value);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new HttpProblem("misconfigured", `the setting ${name} is no whole number above 0`);
}
