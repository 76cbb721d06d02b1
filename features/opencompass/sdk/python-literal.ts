/** A value as Python writes it: None, nan and inf become null, tuples lists, `dict(…)` and `{…}` objects. */
type PythonValue = null | boolean | number | string | readonly PythonValue[] | { readonly [name: string]: PythonValue };

/**
 * Reads one Python literal as `repr` writes it: numbers, text, lists, tuples, dictionaries, `dict(name=value)`; of any
 * other call, such as `np.float64(0.5)`, its only argument.
 * @throws SyntaxError naming the line
 * @example parsePythonLiteral("{'accuracy': 62.5, 'kind': None}") // { accuracy: 62.5, kind: null }
 */
export function parsePythonLiteral(text: string): PythonValue {
  const reader = new LiteralReader(text);
  const value = reader.value();
  if (!reader.atEnd()) throw reader.unexpected();
  return value;
}

/**
 * Reads a file of assignments of literals, as configurations are dumped.
 * @throws SyntaxError naming the line
 * @example parsePythonAssignments("n=2\nmodels=[dict(abbr='a')]") // { n: 2, models: [{ abbr: "a" }] }
 */
export function parsePythonAssignments(text: string): Record<string, PythonValue> {
  const reader = new LiteralReader(text);
  const values: [string, PythonValue][] = [];
  while (!reader.atEnd()) values.push([reader.name("="), reader.value()]);
  return Object.fromEntries(values);
}

const BLANK = /\s*/y;
const NAME = /[\p{L}_][\p{L}\p{N}_.]*/uy;
const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const STRING = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/y;
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/g;
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
const CONSTANTS: ReadonlyMap<string, null | boolean> = new Map(
  Object.entries({ None: null, nan: null, inf: null, True: true, False: false }),
);

class LiteralReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#match(BLANK);
    return this.#at === this.#text.length;
  }

  value(): PythonValue {
    const text = this.#string();
    if (text !== null) return text;
    if (this.#take("[")) return this.#list("]");
    if (this.#take("(")) return this.#tuple();
    if (this.#take("{")) return this.#entries("}", () => this.#key());
    const number = this.#match(NUMBER);
    if (number) return Number(number[0]);
    this.#take("-"); // of -inf
    const start = this.#at;
    const name = this.#match(NAME)?.[0] ?? "";
    if (this.#take("(")) return name === "dict" ? this.#dictionary() : this.#argument();
    const constant = CONSTANTS.get(name);
    if (constant !== undefined) return constant;
    this.#at = start;
    throw this.unexpected();
  }

  name(sign: string): string {
    this.#match(BLANK);
    const name = this.#match(NAME)?.[0];
    if (name === undefined) throw this.unexpected();
    this.#expect(sign);
    return name;
  }

  unexpected(): SyntaxError {
    const line = this.#text.slice(0, this.#at).split("\n").length;
    const rest = this.#text.slice(this.#at, this.#at + 20).split("\n")[0]!;
    return new SyntaxError(`line ${line}: ${rest === "" ? "it ends too early" : `no Python literal at ${rest}`}`);
  }

  #list(close: string): PythonValue[] {
    const values: PythonValue[] = [];
    while (!this.#take(close)) {
      values.push(this.value());
      if (!this.#take(",")) {
        this.#expect(close);
        break;
      }
    }
    return values;
  }

  /** `(1)` is a number, `(1,)` a tuple. */
  #tuple(): PythonValue {
    if (this.#take(")")) return [];
    const first = this.value();
    if (this.#take(")")) return first;
    this.#expect(",");
    return [first, ...this.#list(")")];
  }

  /** `dict(a=1)`, or `dict({'a-b': 1})` where a key is no name. */
  #dictionary(): PythonValue {
    return this.#take("{")
      ? this.#closed(this.#entries("}", () => this.#key()))
      : this.#entries(")", () => this.name("="));
  }

  #argument(): PythonValue {
    return this.#closed(this.value());
  }

  #closed(value: PythonValue): PythonValue {
    this.#take(",");
    this.#expect(")");
    return value;
  }

  #entries(close: string, key: () => string): Record<string, PythonValue> {
    const entries: [string, PythonValue][] = [];
    while (!this.#take(close)) {
      entries.push([key(), this.value()]);
      if (!this.#take(",")) {
        this.#expect(close);
        break;
      }
    }
    return Object.fromEntries(entries);
  }

  #key(): string {
    const key = this.value();
    this.#expect(":");
    return typeof key === "string" ? key : JSON.stringify(key);
  }

  #string(): string | null {
    this.#match(BLANK);
    const literal = this.#match(STRING);
    if (!literal) return null;
    return (literal[1] ?? literal[2] ?? "").replace(
      ESCAPE,
      (_, x?: string, u?: string, long?: string, sign?: string) => {
        const code = x ?? u ?? long;
        return code === undefined ? (ESCAPED[sign!] ?? sign!) : String.fromCodePoint(Number.parseInt(code, 16));
      },
    );
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) throw this.unexpected();
  }

  #take(sign: string): boolean {
    this.#match(BLANK);
    if (!this.#text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }
}
