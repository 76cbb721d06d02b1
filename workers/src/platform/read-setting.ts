import { HttpProblem } from "./problem.ts";

export function misconfigured(name: string, rule: string): HttpProblem {
  return new HttpProblem("misconfigured", `the setting ${name} ${rule}`);
}

/** A whole number above 0; settings made in the dashboard are text. @throws HttpProblem `misconfigured`, as all of these */
export function count(value: unknown, name: string, fallback: number): number {
  if (value === undefined) return fallback;
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (Number.isSafeInteger(number) && (number as number) > 0) return number as number;
  throw misconfigured(name, "is not a whole number above 0");
}

/** Comma-separated names; none where it is unset or empty. */
export function list(value: unknown, name: string, isAllowed: (part: string) => boolean, rule: string): string[] {
  if (value === undefined || value === "") return [];
  const parts = typeof value === "string" ? value.split(",").map((part) => part.trim()) : [];
  if (parts.length > 0 && parts.every(isAllowed)) return parts;
  throw misconfigured(name, rule);
}

export function truth(setting: boolean | string | undefined, name: string): boolean {
  const value = String(setting ?? false);
  if (value === "true" || value === "false") return value === "true";
  throw misconfigured(name, "is neither true nor false");
}
