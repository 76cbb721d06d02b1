import type { Issue } from "../errors.ts";

/**
 * A description of JSON values as plain data. {@link readValue} checks by it, {@link Infer} is its TypeScript type, and
 * the Worker's OpenAPI document and the tables of docs/bundle-format.md come from it.
 */
export type Schema<T = unknown> = SchemaNode & Typed<T>;

/** The TypeScript type that a schema describes. */
export type Infer<S> = S extends Typed<infer T> ? T : never;

export type SchemaNode =
  | { readonly kind: "text"; readonly rule: TextRule }
  | { readonly kind: "number"; readonly rule: NumberRule }
  | { readonly kind: "flag" }
  | { readonly kind: "anything" }
  | { readonly kind: "oneOf"; readonly values: readonly string[] }
  | { readonly kind: "nullable"; readonly of: Schema }
  | { readonly kind: "list"; readonly of: Schema; readonly min: number }
  | { readonly kind: "record"; readonly of: Schema }
  | { readonly kind: "object"; readonly fields: Fields; readonly optional: Fields };

/** Carries the type alone: there is no such field. */
interface Typed<T> {
  readonly type?: T;
}

export interface TextRule {
  readonly pattern?: RegExp;
  /** Why a text is not allowed, or null. */
  readonly problem?: (value: string) => string | null;
  /** Other types that may stand in its place. */
  readonly or?: readonly ("number" | "boolean")[];
}

export interface NumberRule {
  readonly min?: number;
  readonly max?: number;
  readonly integer?: boolean;
}

export type Fields = Readonly<Record<string, Schema>>;
type None = Record<never, never>;
type Flat<T> = { readonly [K in keyof T]: T[K] };
type Read<F, O> = Flat<{ readonly [K in keyof F]: Infer<F[K]> } & { readonly [K in keyof O]?: Infer<O[K]> }>;

type ObjectSchema<F extends Fields, O extends Fields> = Schema<Read<F, O>> & {
  readonly fields: F;
  readonly optional: O;
};

export function text(rule: TextRule = {}): Schema<string> {
  return { kind: "text", rule };
}

/** A text, or a value of one of these types. */
export function textOr<const T extends "number" | "boolean">(
  ...or: readonly T[]
): Schema<string | { number: number; boolean: boolean }[T]> {
  return { kind: "text", rule: { or } };
}

export function number(rule: NumberRule = {}): Schema<number> {
  return { kind: "number", rule };
}

export const flag: Schema<boolean> = { kind: "flag" };

export const anything: Schema = { kind: "anything" };

export function oneOf<const T extends string>(values: readonly T[]): Schema<T> {
  return { kind: "oneOf", values };
}

export function nullable<T>(of: Schema<T>): Schema<T | null> {
  return { kind: "nullable", of };
}

export function list<T>(of: Schema<T>, min = 0): Schema<readonly T[]> {
  return { kind: "list", of, min };
}

/** An object whose keys are free. */
export function record<T>(of: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return { kind: "record", of };
}

/** An object with at least these fields; unknown ones are left out. Optional fields may be absent. */
export function object<F extends Fields>(fields: F): ObjectSchema<F, None>;
export function object<F extends Fields, O extends Fields>(fields: F, optional: O): ObjectSchema<F, O>;
export function object(fields: Fields, optional: Fields = {}): ObjectSchema<Fields, Fields> {
  return { kind: "object", fields, optional };
}

/**
 * Reads an unknown value by a schema.
 * @param path - where the value lies, from the root
 * @param issues - gets an entry for everything that is wrong; the value returned is then of no use
 */
export function readValue<T>(
  schema: Schema<T>,
  value: unknown,
  path: readonly (string | number)[],
  issues: Issue[],
): T {
  return read(schema, value, path, issues) as T;
}

function read(schema: Schema, value: unknown, path: readonly (string | number)[], issues: Issue[]): unknown {
  const report = (code: string, message: string, at = path): void => void issues.push({ path: at, code, message });
  const expected = (what: string, code = "invalid_type"): void => {
    report(code, `expected ${what}, got ${describe(value)}`);
  };
  const inside = (of: Schema, key: string | number, entry: unknown): unknown => read(of, entry, [...path, key], issues);

  if (schema.kind === "anything") return value;
  if (schema.kind === "nullable") return value === null ? null : read(schema.of, value, path, issues);
  if (schema.kind === "text") {
    const { pattern, problem, or } = schema.rule;
    if (or?.includes(typeof value as never)) return value;
    if (typeof value !== "string") return expected("text");
    const why = problem?.(value) ?? null;
    if (pattern && !pattern.test(value)) report("invalid_format", `${describe(value)} doesn't match ${pattern.source}`);
    else if (why !== null) report("invalid_format", `${describe(value)}: ${why}`);
    return value;
  }
  if (schema.kind === "number") {
    const { min, max, integer } = schema.rule;
    if (typeof value !== "number" || !Number.isFinite(value)) return expected("a number");
    if (integer && !Number.isSafeInteger(value)) return expected("a whole number");
    if (value < (min ?? value) || value > (max ?? value))
      report("out_of_range", `${value} is not in [${min ?? "−∞"}, ${max ?? "∞"}]`);
    return value;
  }
  if (schema.kind === "flag") return typeof value === "boolean" ? value : expected("true or false");
  if (schema.kind === "oneOf")
    return schema.values.includes(value as string) ? value : expected(schema.values.join(" or "), "invalid_value");
  if (schema.kind === "list") {
    if (!Array.isArray(value)) return expected("an array");
    if (value.length < schema.min)
      return report("too_short", `expected at least ${schema.min} entries, got ${value.length}`);
    return value.map((entry, index) => inside(schema.of, index, entry));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return expected("an object");
  const source = value as Record<string, unknown>;
  if (schema.kind === "record")
    return Object.fromEntries(Object.entries(source).map(([key, entry]) => [key, inside(schema.of, key, entry)]));
  const out: Record<string, unknown> = {};
  for (const [key, of] of Object.entries({ ...schema.fields, ...schema.optional }))
    if (Object.hasOwn(source, key)) out[key] = inside(of, key, source[key]);
    else if (!Object.hasOwn(schema.optional, key)) report("missing", `${key} is missing`, [...path, key]);
  return out;
}

function describe(value: unknown): string {
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined ? typeof value : json.length > 60 ? `${json.slice(0, 57)}…` : json;
}
