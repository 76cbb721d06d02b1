/** Text that Inspect reads as a score; `N`, no answer, is wrong. */
const WORDS: ReadonlyMap<string, number> = new Map([
  ["C", 1],
  ["P", 0.5],
  ["I", 0],
  ["N", 0],
]);
const TRUE = new Set(["yes", "true"]);

/**
 * A score's value as Inspect's own metrics read it (`value_to_float`): C = 1, P = ½, I = N = 0, numbers and booleans as
 * they are, yes and true = 1, any other text = 0.
 * @returns null for NaN, Inspect's sign of a sample that was not scored, and for lists and objects, which are no score
 */
export function scoreValue(value: unknown): number | null {
  if (typeof value === "number") return Number.isNaN(value) ? null : value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "string") return null;
  const word = WORDS.get(value);
  if (word !== undefined) return word;
  const text = value.trim().toLowerCase();
  if (TRUE.has(text)) return 1;
  const number = text === "" ? NaN : Number(text);
  return Number.isFinite(number) ? number : 0;
}
