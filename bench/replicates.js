// What counts as a replicate, on simulated boards: independent models joined, and true copies found.
// npm run build && node bench/replicates.js [--boards 1000] [--seed 1]
import { parseArgs } from "node:util";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import { replicateGroups } from "anchoreval-trainer/internal/matrix/alike/replicates";
import { withoutCopies } from "anchoreval-trainer/internal/matrix/alike/copies";
import { responseMatrix } from "anchoreval-trainer/internal/matrix/response-matrix";

const { values } = parseArgs({
  options: { boards: { type: "string", default: "1000" }, seed: { type: "string", default: "1" } },
});
const boards = Number(values.boards);

/** Copies of a board, each of another of its models. */
const COPIES = 4;
/** Answers beside its commonest one that tell a model from others: with few a copy can't be known from a like model. */
const TELLING = 15;
const telling = (row) => {
  const counts = new Map();
  for (const score of row) counts.set(score, (counts.get(score) ?? 0) + 1);
  return row.length - Math.max(...counts.values()) >= TELLING;
};
const random = createRandom(`replicates ${values.seed}`);
const normal = () => random.normal();
const between = (low, high) => low + (high - low) * random.next();
const clip = (score) => Math.min(1, Math.max(0, score));
/** Mean logits such that models' scores lie about in a range. */
const logitBetween = (low, high) => {
  const share = between(low, high);
  return Math.log(share / (1 - share));
};
const chances = (levels, difficulties, slopes) =>
  levels.map((level) => difficulties.map((difficulty, j) => sigmoid((slopes?.[j] ?? 1) * (level - difficulty))));
const binary = (rows) => rows.map((row) => row.map((chance) => Number(random.next() < chance)));
const draw = (count, one) => Array.from({ length: count }, one);
const flip = (row) => row.map((score) => (random.next() < 0.01 ? 1 - score : score));

/** Kinds of boards: models × items, and a copy of a row. */
const KINDS = {
  ordinary: (M, N) => ({ rows: binary(chances(draw(M, normal), draw(N, normal))), copy: flip }),
  "ordinary, slopes and guessing": (M, N) => {
    const slopes = draw(N, () => Math.exp(0.4 * normal()));
    const rows = chances(draw(M, normal), draw(N, normal), slopes);
    return { rows: binary(rows.map((row) => row.map((chance) => 0.25 + 0.75 * chance))), copy: flip };
  },
  "six scenarios, three abilities": (M, N) => {
    const loads = draw(6, () => draw(3, () => Math.abs(normal())));
    const [abilities, difficulties] = [draw(M, () => draw(3, normal)), draw(N, normal)];
    const rows = abilities.map((own) =>
      difficulties.map((difficulty, j) => {
        const load = loads[Math.floor((6 * j) / N)];
        return sigmoid(load.reduce((sum, one, d) => sum + one * own[d], 0) - difficulty);
      }),
    );
    return { rows: binary(rows), copy: flip, scenarioOf: (j) => `s${Math.floor((6 * j) / N)}` };
  },
  "hard, 1 to 10 %": (M, N) => ({
    rows: binary(
      chances(
        draw(M, () => logitBetween(0.01, 0.1)),
        draw(N, () => 0.8 * normal()),
      ),
    ),
    copy: flip,
  }),
  "hard, 0 to 15 %, few items solved": (M, N) => ({
    rows: binary(
      chances(
        draw(M, () => logitBetween(0.001, 0.15) + 1),
        draw(N, () => 2 * normal() + 1),
      ),
    ),
    copy: flip,
  }),
  "easy, 93 to 100 %": (M, N) => ({
    rows: binary(
      chances(
        draw(M, () => logitBetween(0.93, 0.999)),
        draw(N, normal),
      ),
    ),
    copy: flip,
  }),
  "half solved by all, half by none": (M, N) => ({
    rows: binary(
      chances(
        draw(M, normal),
        draw(N, (_, j) => (j % 2 === 0 ? 4 : -4)),
      ),
    ),
    copy: flip,
  }),
  "judge, .6 to .9": (M, N) => {
    const [levels, difficulties] = [draw(M, normal), draw(N, () => 0.6 * normal())];
    const rows = levels.map((level) => difficulties.map((own) => 0.52 + 0.46 * sigmoid(level - own + 0.7 * normal())));
    return { rows, copy: (row) => row.map((score) => clip(score + 0.01 * normal())) };
  },
  "judge, 1 to 5": (M, N) => {
    const [levels, difficulties] = [draw(M, normal), draw(N, normal)];
    const grade = (x) => Math.min(4, Math.max(0, Math.round(2.5 + x))) / 4;
    const rows = levels.map((level) => difficulties.map((own) => grade(0.6 * (level - own) + 0.6 * normal())));
    const other = (score) => clip(score + (random.next() < 0.5 ? -0.25 : 0.25));
    return { rows, copy: (row) => row.map((score) => (random.next() < 0.01 ? other(score) : score)) };
  },
  "pass rates of 10, hard": (M, N) => {
    const rows = chances(
      draw(M, () => logitBetween(0.01, 0.2)),
      draw(N, () => 1.5 * normal()),
    );
    const tenth = (chance) => draw(10, () => Number(random.next() < chance)).reduce((sum, one) => sum + one, 0) / 10;
    const other = (score) => clip(score + (random.next() < 0.5 ? -0.1 : 0.1));
    return {
      rows: rows.map((row) => row.map((chance) => tenth(clip(sigmoid(Math.log(chance / (1 - chance)) + normal()))))),
      copy: (row) => row.map((score) => (random.next() < 0.01 ? other(score) : score)),
    };
  },
};

for (const [kind, make] of Object.entries(KINDS)) {
  let [joined, joinedBoards, found, copies, pairs, foundTelling, copiesTelling] = [0, 0, 0, 0, 0, 0, 0];
  for (let board = 0; board < boards; board++) {
    const M = [12, 40, 40, 80][board % 4];
    const N = [100, 120, 300, 1000][Math.floor(board / 4) % 4];
    const { rows, copy, scenarioOf = () => "s" } = make(M, N);
    const originals = draw(COPIES, (_, k) => (board + k * Math.floor(M / COPIES)) % M);
    const all = [...rows, ...originals.map((m) => copy(rows[m]))];
    const matrix = responseMatrix(
      all.map((_, m) => `m${m}`),
      draw(N, (_, j) => ({ item_id: `q${j}`, scenario: scenarioOf(j) })),
      Float64Array.from(all.flat()),
    );
    const kept = withoutCopies(matrix);
    const groups = replicateGroups(kept.matrix);
    const place = new Map(kept.matrix.subjects.map((name, k) => [name, groups[k]]));
    const groupOf = (m) => place.get(`m${m}`) ?? place.get(kept.copies.get(`m${m}`));
    const before = joined;
    for (let a = 0; a < M; a++) for (let b = 0; b < a; b++) if (groupOf(a) === groupOf(b)) joined++;
    if (joined > before) joinedBoards++;
    pairs += (M * (M - 1)) / 2;
    originals.forEach((m, k) => {
      copies++;
      const same = groupOf(m) === groupOf(M + k);
      if (same) found++;
      if (!telling(rows[m])) return;
      copiesTelling++;
      if (same) foundTelling++;
    });
  }
  console.log(
    `${kind.padEnd(36)} ${boards} boards, ${pairs} pairs: ${joined} joined on ${joinedBoards}; copies found ${((100 * found) / copies).toFixed(1)} % of ${copies}, of those of models with ${TELLING} answers beside the commonest ${((100 * foundTelling) / copiesTelling).toFixed(1)} % of ${copiesTelling}`,
  );
}
