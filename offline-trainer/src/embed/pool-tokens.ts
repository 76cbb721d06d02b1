import type { Pooling } from "./encoder-files.ts";

/**
 * One vector a text from those of its tokens, of length 1: their mean, or the first token's. Sums in float64.
 * @param hidden - texts×tokens×width row-major; every text has all of the tokens
 * @returns texts×width, float32; a text whose vector is 0 keeps it
 */
export function poolTokens(
  hidden: Float32Array,
  { texts, tokens, width }: { readonly texts: number; readonly tokens: number; readonly width: number },
  pooling: Pooling,
): Float32Array {
  const pooled = new Float32Array(texts * width);
  const sum = new Float64Array(width);
  for (let i = 0; i < texts; i++) {
    sum.fill(0);
    for (let t = 0; t < (pooling === "cls" ? 1 : tokens); t++)
      for (let c = 0; c < width; c++) sum[c] = sum[c]! + hidden[(i * tokens + t) * width + c]!;
    const length = Math.hypot(...sum);
    for (let c = 0; c < width; c++) pooled[i * width + c] = length > 0 ? sum[c]! / length : 0;
  }
  return pooled;
}
