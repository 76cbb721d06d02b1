import { AnchorEvalError, type RandomSource } from "anchoreval/core";
import type { ScoreLink } from "../calibrate/bank.ts";
import type { ScenarioGroup } from "../matrix/benchmark.ts";
import type { BaseBundle } from "./read-base.ts";
import { chance, drawnParameters, scoreSides } from "./drawn-answers.ts";
import { itemPriors } from "./item-prior.ts";
import { knownParameters } from "./known-parameters.ts";
import { moderation } from "./moderate.ts";
import { placeItem } from "./place-item.ts";
import { calibratedAnswers, standingAbilities } from "./standing-abilities.ts";

/** A bank on its base's scale: parameters of all its items, and answers for models that gave none to the placed ones. */
export interface ScaledBank {
  readonly dims: number;
  readonly link: ScoreLink;
  /** By scenario, where scores are cut as the base's were; null where they aren't. */
  readonly thresholds: readonly (number | null)[];
  /** Discriminations, N×D row-major, in the order of the bank's columns. */
  readonly a: Float64Array;
  /** Intercepts, N. */
  readonly b: Float64Array;
  /** Scores drawn where a placed item has no answer, M×N; NaN elsewhere. */
  readonly drawn: Float64Array;
  /** Scores expected in the same places. */
  readonly expected: Float64Array;
  /** By scenario: standard deviation of the mean score that is left open by where the placed items lie. A fraction. */
  readonly placementErrors: readonly number[];
}

export interface ScaleInput {
  readonly base: BaseBundle;
  /** Id in the base of every item that stands, by its id now. */
  readonly standing: ReadonlyMap<string, string>;
  /** Coordinates of texts by item id, all as long; null without. */
  readonly coordinates: ReadonlyMap<string, Float64Array> | null;
}

/**
 * Puts a bank on the scale that its base has: parameters of the standing items are the base's, models' abilities follow
 * from their answers to them (MAP under N(0, I), as in every calibration), and each other item is placed by its own answers
 * and what its scenario's items, or its text, tell beforehand ({@link itemPriors}). Parameters that are uncertain are
 * moderated (z/√(1 + πv/8), v the mean variance of z), so that chances are right on average.
 *
 * Answers that models didn't give to placed items are drawn from their chances, with the items' parameters drawn once from
 * their posterior: what is measured on them varies as if they had been given (a single proper imputation).
 * @throws AnchorEvalError `unsupported` for a bank or scenario that the base doesn't have; `invalid_data` where fewer than
 * half of a scenario's items stand
 * @see MacKay (1992), Neural Computation 4, 720–736 (moderated outputs); Rubin (1987), Multiple Imputation
 */
export function putOnScale(
  task: Omit<ScenarioGroup, "families">,
  { base, standing, coordinates }: ScaleInput,
  random: RandomSource,
): ScaledBank {
  const { bundle, links } = base;
  const described = bundle.manifest.banks.find(
    ({ id, scenarios }) => id === task.id && scenarios.join("\n") === task.scenarios.map((own) => own.id).join("\n"),
  );
  if (!described)
    throw new AnchorEvalError(
      "unsupported",
      `the base has no bank ${task.id} of ${task.scenarios.map(({ id }) => id).join(", ")}: it has ${bundle.manifest.banks.map(({ id, scenarios }) => `${id} (${scenarios.join(", ")})`).join("; ")}; a new scenario needs a fit without --base`,
    );
  const { dims } = described;
  const { matrix } = task;
  const [models, count] = [matrix.subjects.length, matrix.items.length];
  const known = knownParameters(task, base, standing, dims);
  const thresholds = described.scenarios.map(
    (id) => bundle.manifest.scenarios.find((scenario) => scenario.id === id)!.threshold,
  );
  const answers = calibratedAnswers(task, thresholds);
  const theta = standingAbilities(answers, known, dims, models);

  const a = new Float64Array(count * dims);
  const b = new Float64Array(count);
  const drawn = new Float64Array(models * count).fill(NaN);
  const expected = new Float64Array(models * count).fill(NaN);
  const placementErrors = task.scenarios.map((slice, s) => {
    const columns = Array.from({ length: slice.count }, (_, i) => slice.begin + i);
    const [stand, fresh] = [columns.filter((i) => known.is[i]), columns.filter((i) => !known.is[i])];
    for (const i of stand) {
      a.set(known.a.subarray(i * dims, (i + 1) * dims), i * dims);
      b[i] = known.b[i]!;
    }
    if (fresh.length === 0) return 0;
    const ordered = [...stand, ...fresh];
    const priors = itemPriors(
      {
        dims,
        parameters: Float64Array.from(stand.flatMap((i) => [...a.subarray(i * dims, (i + 1) * dims), b[i]!])),
        subscenarios: ordered.map((i) => matrix.items[i]!.subscenario),
        coordinates:
          coordinates &&
          Float64Array.from(ordered.flatMap((i) => Array.from(coordinates.get(matrix.items[i]!.item_id)!))),
      },
      random.fork(`texts of ${slice.id}`),
    );
    const sides = scoreSides(matrix, slice, thresholds[s]!);
    let variance = 0;
    fresh.forEach((i, k) => {
      const own = Float64Array.from({ length: models }, (_, m) => (theta.known[m] ? answers[m * count + i]! : NaN));
      const placed = placeItem(theta.values, own, priors(stand.length + k));
      const { scale, spread } = moderation(placed, theta.values, theta.known);
      for (let d = 0; d < dims; d++) a[i * dims + d] = scale * placed.a[d]!;
      b[i] = scale * placed.b;
      variance += slice.weights[i - slice.begin]! ** 2 * spread;
      const stream = random.fork(matrix.items[i]!.item_id);
      const once = drawnParameters(placed, stream);
      for (let m = 0; m < models; m++) {
        if (!theta.known[m] || !Number.isNaN(answers[m * count + i]!)) continue;
        const at = theta.values.subarray(m * dims, (m + 1) * dims);
        expected[m * count + i] = sides.expected(chance(at, a.subarray(i * dims, (i + 1) * dims), b[i]));
        drawn[m * count + i] = sides.draw(chance(at, once.a, once.b), stream);
      }
    });
    return Math.sqrt(variance);
  });
  return { dims, link: links.get(task.id)!, thresholds, a, b, drawn, expected, placementErrors };
}
