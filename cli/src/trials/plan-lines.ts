import { type ItemsByTrials, planTrials, type TrialPlan } from "anchoreval/internal/trials/plan-trials";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import { percent, points, textTable } from "anchoreval/internal/words/figures";
import type { OptionReader } from "../command.ts";
import type { Output } from "../output.ts";

/** Prints the plan over items × trials. @throws AnchorEvalError as `planTrials` */
export function printTrialPlan(
  bundle: Bundle,
  trials: readonly number[],
  asked: { readonly level: number; readonly halfWidth?: number },
  output: Output,
): void {
  const plan = planTrials(bundle, { trials, ...asked });
  output.result(plan, trialPlanLines(plan));
}

/** The trials of `--trials`, ascending and each once; undefined where it isn't given. */
export function readTrials(options: OptionReader): number[] | undefined {
  const trials = options.numbers("trials", { min: 1, max: 1000, integer: true }, undefined);
  return trials && [...new Set(trials)].sort((x, y) => x - y);
}

function trialPlanLines({ benchmark, version, level, of, forms, wanted, enough }: TrialPlan): string[] {
  const counts = forms[0]!.choices.map(({ trials }) => trials);
  const [cheapest] = enough;
  return [
    `${benchmark} ${version}: half-width (${percent(level)}) of the expected score over runs, in points`,
    "",
    ...textTable(
      [
        ["form", "items", ...counts.map((trials) => (trials === 1 ? "1 trial" : `${trials} trials`))],
        ...forms.map(({ form, choices }) => [
          form,
          `${choices[0]!.items} of ${of}`,
          ...choices.map(({ halfWidth }) => points(halfWidth)),
        ]),
      ],
      `lr${"r".repeat(counts.length)}`,
    ),
    "",
    ...(wanted === null
      ? []
      : cheapest === undefined
        ? [`Not even all items reach a half-width of ${points(wanted)} in ${counts.at(-1)!} trials: it takes more.`]
        : [
            ...textTable(
              [
                [`half-width ${points(wanted)}`, "items", "trials", "answers"],
                ...enough.map((own, k) => row(own, k === 0)),
              ],
              "lrrr",
            ),
            "",
          ]),
    ...(forms.some(({ basis }) => basis === "predicted")
      ? [
          "Half-widths of a run were predicted by the response model, not measured: with few source models they are wider.",
        ]
      : []),
    "Figures are for models like the source models: what nine in ten of them have at most. A trial more tells of the model's luck on the same items, an item more of that and of the items.",
  ];
}

function row({ items, trials, answers }: ItemsByTrials, isCheapest: boolean): string[] {
  return [isCheapest ? "> fewest answers" : "", String(items), String(trials), String(answers)];
}
