// Boards of simulated judges, for the tests and the benchmark: plain JavaScript, which Node runs without a build.

/** @typedef {(uniform: () => number, normal: () => number) => readonly [label: number, judged: number]} Board */

/** @param {number} x */
const logistic = (x) => 1 / (1 + Math.exp(-x));
/** @param {number} share @param {number} label @param {() => number} uniform */
const wrong = (share, label, uniform) => (uniform() < share ? 1 - label : label);
/** @param {number} chance @param {() => number} uniform */
const right = (chance, uniform) => Number(uniform() < chance);

/**
 * A judge that is as good as the first word says, and the half-width over labels' alone at 100 labels that is asked of it.
 * A board draws an item: people's label in [0,1], and the judge's score.
 * @type {readonly (readonly [name: string, atMost: number, board: Board])[]}
 */
// prettier-ignore
export const JUDGES = [
  ["wrong on a tenth of right and wrong", 0.7, (u) => { const y = right(0.5, u); return [y, wrong(0.1, y, u)]; }],
  ["too kind: takes a third of the wrong for right", 0.85, (u) => { const y = right(0.3, u); return [y, y === 1 || u() < 0.3 ? 1 : 0]; }],
  ["a probability", 0.75, (u, z) => { const q = logistic(3 * z()); return [right(q, u), q + 0.1 * z()]; }],
  ["on a scale of its own", 0.75, (u, z) => { const q = logistic(3 * z()); return [right(q, u), 1 + 9 * q]; }],
  ["useless", 1, (u) => [right(0.4, u), u()]],
  ["useless, yes or no", 1, (u) => [right(0.4, u), right(0.7, u)]],
  ["of rare successes", 0.85, (u, z) => { const y = right(0.05, u); return [y, logistic(z() + (y === 1 ? 1 : -2))]; }],
  ["of rare failures", 0.9, (u, z) => { const y = right(0.93, u); return [y, logistic(z() + (y === 1 ? 2 : 0))]; }],
  ["of finely graded labels", 0.6, (_, z) => { const q = z(); return [logistic(q), logistic(q + 0.6 * z() + 0.5)]; }],
  ["of stars", 0.65, (_, z) => { const q = 1.5 * z(); return [Math.round(4 * logistic(q)) / 4, Math.round(4 * logistic(q + 0.8 * z() + 0.7)) / 4]; }],
  ["wrong on 3 of a hundred, on one side", 0.45, (u) => { const y = right(0.5, u); return [y, y === 0 && u() < 0.06 ? 1 : y]; }],
  ["wrong on 5 of a hundred, on one side", 0.6, (u) => { const y = right(0.5, u); return [y, y === 0 && u() < 0.1 ? 1 : y]; }],
  ["wrong on 3 of a hundred, on both", 0.45, (u) => { const y = right(0.5, u); return [y, wrong(0.03, y, u)]; }],
  ["wrong on nothing that a sample of 30 shows", 0.4, (u) => { const y = right(0.5, u); return [y, wrong(0.005, y, u)]; }],
];

/**
 * The items of a board.
 * @param {Board} board
 * @param {number} count
 * @param {{ next(): number }} random
 */
export function judgedItems(board, count, random) {
  const uniform = () => random.next();
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Array.from({ length: count }, () => board(uniform, normal));
}

/**
 * Places of `n` items of `order`, drawn at random: it is shuffled in part.
 * @param {number[]} order
 * @param {number} n
 * @param {{ next(): number }} random
 */
export function drawPlaces(order, n, random) {
  for (let k = 0; k < n; k++) {
    const other = k + Math.floor(random.next() * (order.length - k));
    [order[k], order[other]] = [/** @type {number} */ (order[other]), /** @type {number} */ (order[k])];
  }
  return order.slice(0, n);
}
