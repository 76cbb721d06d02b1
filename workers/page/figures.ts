/** A whole number with thin spaces between thousands. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A number and its noun. @example counted(1, "item") // "1 item" */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Two decimals with a minus sign. */
export function decimals(value: number): string {
  const text = value.toFixed(2);
  return text === "-0.00" ? "0.00" : text.replace("-", "−");
}

/** A list in words. @example listed(["10", "30", "50"]) // "10, 30 and 50" */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)!}`;
}

/** A share as a whole percentage; what isn't all never reads 100 %, what isn't none never 0 %. */
export function wholePercent(share: number): string {
  const rounded = Math.round(100 * share);
  const shown = share < 1 && rounded === 100 ? "over 99" : share > 0 && rounded === 0 ? "under 1" : String(rounded);
  return `${shown} %`;
}

/** A file's size. */
export function bytesText(bytes: number): string {
  return bytes < 1000
    ? `${bytes} bytes`
    : bytes < 1e6
      ? `${(bytes / 1e3).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The smallest and the largest of some values, of which there may be more than a call takes. */
export function extent(values: ArrayLike<number>): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    low = Math.min(low, values[i]!);
    high = Math.max(high, values[i]!);
  }
  return [low, high];
}
