import { createRandom } from "anchoreval/internal/core/numeric/random";
import { randomBaseline } from "../../offline-trainer/dist/fit/errors.js";
import { fullScores } from "../../offline-trainer/dist/matrix/scenarios.js";
import { sourceMatrix, targetAnswers } from "./source.js";

/** The sources of the cell before: splits that are the same for all seeds are read once, and so is what hangs on them. */
let last = { key: "", source: null };

function sourceOf({ group, split }) {
  const key = `${group.id} ${split.sources.join()} ${group.matrix.subjects.join()}`;
  if (last.key !== key) last = { key, source: sourceMatrix(group.matrix, split.sources) };
  return last.source;
}

/**
 * Mean absolute errors of methods in one cell of a back-test, and of as many random items: the same draws, targets and
 * truths as `anchoreval backtest` has.
 * @param cell - bank, split, sizes, seed, and the name of the stream that the draws of the random items come from
 * @returns one entry a method and size: sums over targets, each the mean over the forms
 */
export function evaluateCell(cell, methods) {
  const { group, split, sizes, seed, stream } = cell;
  const [slice] = group.scenarios;
  const source = sourceOf(cell);
  const { score } = fullScores(group.matrix, slice);
  const truths = split.targets.map((m) => score[m]);
  const random = createRandom(seed).fork(group.id);
  const compared = createRandom(seed).fork(stream);
  return sizes.flatMap((n) => {
    const { errors } = randomBaseline(
      group.matrix,
      slice,
      split.targets,
      truths,
      n,
      compared.fork(`random ${slice.id} ${n}`),
    );
    const randomError = errors.reduce((sum, error) => sum + error, 0);
    return methods.map((method) => {
      const began = performance.now();
      let error = 0;
      let items = 0;
      for (let form = 0; form < method.forms; form++) {
        const fitted = method.fit(source, n, random.fork(`peer ${method.name} ${n} ${form}`));
        items += fitted.items.length / method.forms;
        split.targets.forEach((m, t) => {
          const estimate = fitted.predict(targetAnswers(group.matrix, m, fitted.items, source));
          error += Math.abs(estimate - truths[t]) / method.forms;
        });
      }
      const seconds = (performance.now() - began) / 1000;
      return { method: method.name, n, error, randomError, items, seconds, targets: split.targets.length };
    });
  });
}
