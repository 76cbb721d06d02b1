import { type ItemsByTrials, planTrials, type TrialPlan } from "anchoreval/internal/features/trials/sdk/plan-trials";
import { percent, points, textTable } from "anchoreval/internal/words/figures";
import type { CommandInput } from "../../../cli/src/program/command.ts";
import { readBundle } from "../../../cli/src/bundles/open-bundle.ts";
import { readPoints } from "../../../cli/src/options/scale.ts";

/** `plan --trials`: another item, or another trial. @throws AnchorEvalError as `planTrials` */
export async function planOverTrials({ options, output, signal }: CommandInput): Promise<void> {
  options.refuse(["gap", "ranked-right"], "doesn't go with --trials");
  const halfWidth = readPoints(options, "half-width");
  const level = options.number("level", { min: 0, max: 1 }, 0.95);
  const counts = options.numbers("trials", { min: 1, max: 1000, integer: true }, []);
  const trials = [...new Set(counts)].sort((x, y) => x - y);
  const bundle = await readBundle(options, signal);
  const repeat = options.number("repeat-price", { min: 0, max: 1 }, 1);
  const plan = planTrials(bundle, { trials, level, repeat, ...(halfWidth !== undefined && { halfWidth }) });
  output.result(plan, trialPlanLines(plan, repeat));
}

function trialPlanLines({ benchmark, version, level, of, forms, wanted, enough }: TrialPlan, repeat: number): string[] {
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
                [`half-width ${points(wanted)}`, "items", "trials", "answers", ...(repeat < 1 ? ["price"] : [])],
                ...enough.map((choice, k) => row(choice, k === 0, repeat)),
              ],
              "lrrrr",
            ),
            "",
          ]),
    ...(forms.some(({ basis }) => basis === "predicted")
      ? ["Half-widths of a run weren't measured, as source models are few: they are those of as many random items."]
      : []),
    "Figures are for models like the source models: what nine in ten of them have at most. A trial more tells of the model's luck on the same items, an item more of that and of the items.",
  ];
}

function row({ items, trials, answers, price }: ItemsByTrials, isCheapest: boolean, repeat: number): string[] {
  const name = repeat < 1 ? "> lowest price" : "> fewest answers";
  const cells = [isCheapest ? name : "", String(items), String(Number(trials.toFixed(2))), String(answers)];
  return repeat < 1 ? [...cells, price.toFixed(1)] : cells;
}
