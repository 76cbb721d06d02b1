// A thread of the comparison.
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { randomBaseline } from "anchoreval-trainer/internal/fit/errors";
import { fullScores } from "anchoreval-trainer/internal/matrix/scenarios";
import { answerInputs, threadData } from "anchoreval-trainer/internal/threads/run-on-threads";
import { peerMethods } from "./methods.js";

const { methods: names } = threadData();
const peers = peerMethods().filter(({ name }) => names.includes(name));

/** The sources of the cell before: splits that are the same for all seeds are read once, and so is what hangs on them. */
let last = { key: "", source: null };

function sourceOf({ scenario, split }) {
  const key = `${scenario.id} ${split.sources.join()} ${scenario.matrix.subjects.join()}`;
  if (last.key !== key) last = { key, source: sourceMatrix(scenario.matrix, split.sources) };
  return last.source;
}

/**
 * Mean absolute errors of methods in one cell of a back-test, and of as many random items: the same draws, targets and
 * truths as `anchoreval backtest` has.
 * @param cell - scenario, split, sizes, seed, and the name of the stream that the draws of the random items come from
 * @returns one entry a method and size: sums over targets, each the mean over the forms
 */
function evaluateCell(cell, methods) {
  const { scenario, split, sizes, seed, stream } = cell;
  const source = sourceOf(cell);
  const { score } = fullScores(scenario.matrix, scenario);
  const truths = split.targets.map((m) => score[m]);
  const random = createRandom(seed).fork(scenario.id);
  const compared = createRandom(seed).fork(stream);
  return sizes.flatMap((n) => {
    const stream = compared.fork(`random ${scenario.id} ${n}`);
    const { errors } = randomBaseline(scenario, split.targets, truths, n, stream);
    const randomError = errors.reduce((sum, error) => sum + error, 0);
    return methods.map((method) => {
      const began = performance.now();
      let error = 0;
      let items = 0;
      for (let form = 0; form < method.forms; form++) {
        const fitted = method.fit(source, n, random.fork(`peer ${method.name} ${n} ${form}`));
        items += fitted.items.length / method.forms;
        split.targets.forEach((m, t) => {
          const estimate = fitted.predict(targetAnswers(scenario.matrix, m, fitted.items, source));
          error += Math.abs(estimate - truths[t]) / method.forms;
        });
      }
      const seconds = (performance.now() - began) / 1000;
      return { method: method.name, n, error, randomError, items, seconds, targets: split.targets.length };
    });
  });
}

/**
 * The source models of a cell, dense. A missing answer is the item's mean over the sources that answered it (the peers
 * assume complete matrices), and one that no source answered is .5.
 * @returns answers row by row, the models' full scores, the items' means
 */
function sourceMatrix(matrix, models) {
  const items = matrix.items.length;
  const scores = new Float64Array(models.length * items);
  const itemMeans = new Float64Array(items);
  const answered = new Float64Array(items);
  const seen = (at) => matrix.observed === null || matrix.observed[at] === 1;
  for (const m of models)
    for (let i = 0; i < items; i++)
      if (seen(m * items + i)) {
        itemMeans[i] += matrix.scores[m * items + i];
        answered[i]++;
      }
  for (let i = 0; i < items; i++) itemMeans[i] = answered[i] > 0 ? itemMeans[i] / answered[i] : 0.5;
  const full = new Float64Array(models.length);
  models.forEach((m, row) => {
    for (let i = 0; i < items; i++) {
      const score = seen(m * items + i) ? matrix.scores[m * items + i] : itemMeans[i];
      scores[row * items + i] = score;
      full[row] += score / items;
    }
  });
  return { models: models.length, items, scores, full, itemMeans };
}

/** Answers of one target to some items, in their order; a missing one is the item's mean over the sources. */
function targetAnswers(matrix, target, items, { itemMeans }) {
  return Float64Array.from(items, (i) => {
    const at = target * matrix.items.length + i;
    return matrix.observed === null || matrix.observed[at] === 1 ? matrix.scores[at] : itemMeans[i];
  });
}

answerInputs((cell) => evaluateCell(cell, peers));
