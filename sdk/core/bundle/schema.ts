import type { Issue } from "../errors.ts";

/**
 * A description of JSON values as plain data. {@link readValue} checks by it, {@link Infer} is its TypeScript type, and
 * the Worker's OpenAPI document and the tables of docs/bundle-format.md come from it.
 * @hidden
 */
export type Schema<T = unknown> = SchemaNode & Typed<T>;

/** The TypeScript type that a schema describes. @inline @hidden */
export type Infer<S> = S extends Typed<infer T> ? T : never;

/** A kind of values, and of what: rules, the values allowed, or the schema of the entries. @hidden */
type SchemaNode =
  | { readonly kind: "text"; readonly of: TextRule }
  | { readonly kind: "number"; readonly of: NumberRule }
  | { readonly kind: "flag" | "anything" }
  | { readonly kind: "oneOf"; readonly of: readonly string[] }
  | { readonly kind: "nullable"; readonly of: Schema }
  | { readonly kind: "record"; readonly of: Schema }
  /** `extra`: the fewest entries. */
  | { readonly kind: "list"; readonly of: Schema; readonly extra?: number }
  /** `extra`: fields that may be absent. */
  | { readonly kind: "object"; readonly of: Fields; readonly extra?: Fields };

/** Carries the type alone: there is no such field. @hidden */
export interface Typed<T> {
  readonly type?: T;
}

interface TextRule {
  readonly pattern?: RegExp;
  /** Why a text is not allowed, or null. */
  readonly problem?: (value: string) => string | null;
  /** Other types that may stand in its place. */
  readonly or?: readonly ("number" | "boolean")[];
}

interface NumberRule {
  readonly min?: number;
  readonly max?: number;
  readonly integer?: boolean;
}

/** Schemas by the names of fields. @hidden */
export type Fields = Readonly<Record<string, Schema>>;
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- an object without optional fields
type None = Record<never, never>;
/** @inline */
type Flat<T> = { readonly [K in keyof T]: T[K] };
/** @inline */
type Read<F, O> = Flat<{ readonly [K in keyof F]: Infer<F[K]> } & { readonly [K in keyof O]?: Infer<O[K]> }>;

// Interfaces, since declaration files name those; the values of aliases they would write out at every level.
export interface NullableSchema<S extends Schema> extends Typed<Infer<S> | null> {
  readonly kind: "nullable";
  readonly of: S;
}
export interface RecordSchema<S extends Schema> extends Typed<Readonly<Record<string, Infer<S>>>> {
  readonly kind: "record";
  readonly of: S;
}
export interface ListSchema<S extends Schema> extends Typed<readonly Infer<S>[]> {
  readonly kind: "list";
  readonly of: S;
  readonly extra?: number;
}
export interface ObjectSchema<F extends Fields, O extends Fields = None> extends Typed<Read<F, O>> {
  readonly kind: "object";
  readonly of: F;
  readonly extra?: O;
}

const nodeOf =
  (kind: string) =>
  (of: unknown = {}, extra?: unknown) =>
    ({ kind, of, extra }) as never;

export const text: {
  (rule?: TextRule & { readonly or?: never }): Schema<string>;
  <const T extends "number" | "boolean">(
    rule: TextRule & { readonly or: readonly T[] },
  ): Schema<string | { number: number; boolean: boolean }[T]>;
} = nodeOf("text");
export const number: (rule?: NumberRule) => Schema<number> = nodeOf("number");
export const flag: Schema<boolean> = { kind: "flag" };
export const anything: Schema = { kind: "anything" };
export const oneOf: <const T extends string>(values: readonly T[]) => Schema<T> = nodeOf("oneOf");
export const nullable: <S extends Schema>(of: S) => NullableSchema<S> = nodeOf("nullable");
/** An object whose keys are free. */
export const record: <S extends Schema>(of: S) => RecordSchema<S> = nodeOf("record");

/** @param min - the fewest entries */
export const list: <S extends Schema>(of: S, min?: number) => ListSchema<S> = nodeOf("list");
/** An object with at least these fields; unknown ones are left out. Optional fields may be absent. */
export const object: {
  <F extends Fields>(fields: F): ObjectSchema<F>;
  <F extends Fields, O extends Fields>(fields: F, optional: O): ObjectSchema<F, O>;
} = nodeOf("object");

/**
 * Bytes of text for each list and object at least, of texts that have more of them than some: empty ones take twenty
 * times their text. Chosen, not measured.
 */
const FEWEST_BYTES = 16;
const SOME = 1 << 16;

/** The value of a JSON text in UTF-8. @throws SyntaxError, TypeError, RangeError where it is none, or one of brackets alone */
export function decodeJson(bytes: Uint8Array): unknown {
  let brackets = 0;
  for (const byte of bytes) if ((byte | 32) === 123) brackets++;
  if (brackets > SOME && brackets * FEWEST_BYTES > bytes.length) throw new RangeError();
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

/** Issues after which no more entries are looked at: a hostile list has millions. Chosen, not measured. */
const MOST_ISSUES = 1000;

/**
 * Reads an unknown value by a schema.
 * @param path - where the value lies, from the root
 * @param issues - gets an entry for everything that is wrong, up to some {@link MOST_ISSUES}; the value returned is then of no use
 */
export function readValue<T>(schema: Schema<T>, value: unknown, path: readonly (string | number)[], issues: Issue[]): T;
export function readValue(
  schema: Schema,
  value: unknown,
  path: readonly (string | number)[],
  issues: Issue[],
): unknown {
  const report = (code: string, message: string, at = path): null => {
    issues.push({ path: at, code, message });
    return null;
  };
  const expected = (what: string, code = "invalid_type"): null =>
    report(code, `expected ${what}, got ${describe(value)}`);
  const inside = (of: Schema, key: string | number, entry: unknown): unknown =>
    issues.length < MOST_ISSUES ? readValue(of, entry, [...path, key], issues) : null;

  switch (schema.kind) {
    case "anything":
      return value;
    case "nullable":
      return value === null ? null : readValue(schema.of, value, path, issues);
    case "text": {
      const { pattern, problem, or } = schema.of;
      if (or?.includes(typeof value as never)) return value;
      if (typeof value !== "string") return expected("text");
      const why = pattern?.test(value) === false ? ` doesn't match ${pattern.source}` : problem?.(value);
      if (why) report("invalid_format", describe(value) + (pattern ? why : `: ${why}`));
      return value;
    }
    case "number": {
      const { min, max, integer } = schema.of;
      const figure = value as number;
      if (!Number.isFinite(value)) return expected("a number");
      if (integer && !Number.isSafeInteger(value)) return expected("a whole number");
      if (figure < min! || figure > max!) report("out_of_range", `${figure} is not in [${min ?? "−∞"}, ${max ?? "∞"}]`);
      return value;
    }
    case "flag":
      return typeof value === "boolean" ? value : expected("true or false");
    case "oneOf":
      return schema.of.includes(value as string) ? value : expected(schema.of.join(" or "), "invalid_value");
    case "list":
      if (!Array.isArray(value)) return expected("an array");
      if (value.length < (schema.extra ?? 0))
        return report("too_short", `expected at least ${schema.extra} entries, got ${value.length}`);
      return value.map((entry, index) => inside(schema.of, index, entry));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return expected("an object");
  if (schema.kind === "record")
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, inside(schema.of, key, entry)]));
  const source = value as Record<string, unknown>;
  const out: Record<string, unknown> = {};
  for (const [key, of] of Object.entries({ ...schema.of, ...schema.extra }))
    if (Object.hasOwn(source, key)) out[key] = inside(of, key, source[key]);
    else if (key in schema.of) report("missing", `${key} is missing`, [...path, key]);
  return out;
}

/** A value that a schema checks; null where it breaks a rule, or can't be read. @param read - parses it, and may throw */
export function readOrNull<T>(schema: Schema<T>, read: () => unknown): T | null {
  const issues: Issue[] = [];
  try {
    const parsed = readValue(schema, read(), [], issues);
    return issues.length === 0 ? parsed : null;
  } catch {
    return null;
  }
}

function describe(value: unknown): string {
  const json = (JSON.stringify(value) as string | undefined) ?? typeof value;
  return json.length > 60 ? `${json.slice(0, 57)}…` : json;
}
