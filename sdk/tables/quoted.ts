const LONGEST = 60;

/** Text from a file as messages show it: in quotes, control characters escaped, cut where it is long. */
export function quoted(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return JSON.stringify(cut).replace(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The first few of some names, quoted, and an ellipsis where there are more. */
export function firstFew(names: readonly string[], count = 5): string {
  return names.slice(0, count).map(quoted).join(", ") + (names.length > count ? ", …" : "");
}

/** What a JSON value is, in words. */
export function jsonKind(value: unknown): string {
  if (value === undefined) return "none";
  if (value === null) return "null";
  if (typeof value === "string") return `the text ${quoted(value)}`;
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
