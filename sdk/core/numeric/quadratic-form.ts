/** aᵀMa of a vector that stands somewhere in a longer array. @param matrix - D×D row-major */
export function quadraticForm(a: ArrayLike<number>, begin: number, matrix: ArrayLike<number>, dims: number): number {
  let sum = 0;
  for (let r = 0; r < dims; r++)
    for (let c = 0; c < dims; c++) sum += a[begin + r]! * matrix[r * dims + c]! * a[begin + c]!;
  return sum;
}
