/** A fraction in points with one decimal. @example points(0.6243) // "62.4" */
export function points(score: number): string {
  return (100 * score).toFixed(1);
}

/** A difference in points with its sign. @example signedPoints(-0.0123) // "−1.2" */
export function signedPoints(difference: number): string {
  const text = points(Math.abs(difference));
  return Number(text) === 0 ? text : `${difference < 0 ? "−" : "+"}${text}`;
}

/** A share in percent, with one decimal where it needs it. @example percent(0.95) // "95 %" */
export function percent(share: number): string {
  const value = 100 * share;
  return `${Number.isInteger(Math.round(value * 1e6) / 1e6) ? Math.round(value) : value.toFixed(1)} %`;
}
