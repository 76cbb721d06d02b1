import type { Issue } from "../errors.ts";

/** Reads an unknown value as T; reports what is wrong to `issues` and then returns anything. */
export type Check<T> = (value: unknown, path: readonly (string | number)[], issues: Issue[]) => T;

function report(issues: Issue[], path: readonly (string | number)[], code: string, message: string): never {
  issues.push({ path, code, message });
  return undefined as never;
}

function describe(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? typeof value : text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

export const text =
  (rule: { pattern?: RegExp; problem?: (value: string) => string | null } = {}): Check<string> =>
  (value, path, issues) => {
    if (typeof value !== "string") return report(issues, path, "invalid_type", `expected text, got ${describe(value)}`);
    if (rule.pattern && !rule.pattern.test(value))
      return report(issues, path, "invalid_format", `${describe(value)} doesn't match ${rule.pattern.source}`);
    const problem = rule.problem?.(value) ?? null;
    if (problem !== null) return report(issues, path, "invalid_format", `${describe(value)}: ${problem}`);
    return value;
  };

export const number =
  (rule: { min?: number; max?: number; integer?: boolean } = {}): Check<number> =>
  (value, path, issues) => {
    if (typeof value !== "number" || !Number.isFinite(value))
      return report(issues, path, "invalid_type", `expected a number, got ${describe(value)}`);
    if (rule.integer && !Number.isSafeInteger(value))
      return report(issues, path, "invalid_type", `expected a whole number, got ${value}`);
    if (value < (rule.min ?? -Infinity) || value > (rule.max ?? Infinity))
      return report(issues, path, "out_of_range", `${value} is not in [${rule.min ?? "−∞"}, ${rule.max ?? "∞"}]`);
    return value;
  };

export const flag: Check<boolean> = (value, path, issues) =>
  typeof value === "boolean"
    ? value
    : report(issues, path, "invalid_type", `expected true or false, got ${describe(value)}`);

export const anything: Check<unknown> = (value) => value;

export const oneOf =
  <const T extends string>(values: readonly T[]): Check<T> =>
  (value, path, issues) =>
    values.includes(value as T)
      ? (value as T)
      : report(issues, path, "invalid_value", `expected ${values.join(" or ")}, got ${describe(value)}`);

export const nullable =
  <T>(check: Check<T>): Check<T | null> =>
  (value, path, issues) =>
    value === null ? null : check(value, path, issues);

export const list =
  <T>(check: Check<T>, rule: { min?: number } = {}): Check<T[]> =>
  (value, path, issues) => {
    if (!Array.isArray(value)) return report(issues, path, "invalid_type", `expected an array, got ${describe(value)}`);
    if (value.length < (rule.min ?? 0))
      return report(issues, path, "too_short", `expected at least ${rule.min} entries, got ${value.length}`);
    return value.map((entry, index) => check(entry, [...path, index], issues));
  };

export const record =
  <T>(check: Check<T>): Check<Record<string, T>> =>
  (value, path, issues) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return report(issues, path, "invalid_type", `expected an object, got ${describe(value)}`);
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, check(entry, [...path, key], issues)]));
  };

type Fields = Record<string, Check<unknown>>;
type Read<F extends Fields> = { [K in keyof F]: F[K] extends Check<infer T> ? T : never };

/** An object with at least these fields; unknown ones are kept out. Optional fields may be absent. */
export const object =
  <F extends Fields, O extends Fields = Record<string, never>>(
    fields: F,
    optional = {} as O,
  ): Check<Read<F> & Partial<Read<O>>> =>
  (value, path, issues) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return report(issues, path, "invalid_type", `expected an object, got ${describe(value)}`);
    const source = value as Record<string, unknown>;
    const out: Record<string, unknown> = {};
    for (const [key, check] of Object.entries(fields)) {
      if (Object.hasOwn(source, key)) out[key] = check(source[key], [...path, key], issues);
      else report(issues, [...path, key], "missing", `${key} is missing`);
    }
    for (const [key, check] of Object.entries(optional))
      if (Object.hasOwn(source, key)) out[key] = check(source[key], [...path, key], issues);
    return out as Read<F> & Partial<Read<O>>;
  };
