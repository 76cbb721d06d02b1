/** Pearson's correlation; null where one side doesn't vary. */
export function pearson(left: Float64Array, right: Float64Array): number | null {
  const [x, y] = [left, right].map((own) => own.reduce((sum, value) => sum + value, 0) / own.length) as [
    number,
    number,
  ];
  let [xy, xx, yy] = [0, 0, 0];
  left.forEach((value, i) => {
    xy += (value - x) * (right[i]! - y);
    xx += (value - x) ** 2;
    yy += (right[i]! - y) ** 2;
  });
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : null;
}
