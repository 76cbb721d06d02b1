import { HttpProblem } from "./problem.ts";

/** @param words - the setting's name first; of a secret never the content */
export function misconfigured(words: string): HttpProblem {
  return new HttpProblem("misconfigured", `the setting ${words}`);
}

/** A whole number above 0; settings made in the dashboard are text. @throws HttpProblem `misconfigured`, as all of these */
export function count<Env extends object>(env: Env, name: keyof Env & string, fallback: number): number {
  const value: unknown = env[name];
  if (value === undefined) return fallback;
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (Number.isSafeInteger(number) && (number as number) > 0) return number as number;
  throw misconfigured(`${name} is not a whole number above 0`);
}

/** Comma-separated names; none where it is unset or empty. */
export function list<Env extends object>(
  env: Env,
  name: keyof Env & string,
  isAllowed: (part: string) => boolean,
  rule: string,
): string[] {
  const value: unknown = env[name];
  if (value === undefined || value === "") return [];
  const parts = typeof value === "string" ? value.split(",").map((part) => part.trim()) : [];
  if (parts.length > 0 && parts.every(isAllowed)) return parts;
  throw misconfigured(`${name} ${rule}`);
}

export function truth<Env extends object>(env: Env, name: keyof Env & string): boolean {
  const setting: unknown = env[name] ?? false;
  const value = String(setting);
  if (value === "true" || value === "false") return value === "true";
  throw misconfigured(`${name} is neither true nor false`);
}
