import { planFromBundle } from "anchoreval/internal/plan/plan-from-bundle";
import type { Plan, PlannedForm, Precision } from "anchoreval/internal/plan/types";
import { percent, points, textTable } from "anchoreval/internal/words/figures";
import { flag, given, type Command, option, rare, invalidOption } from "../program/command.ts";
import { BUNDLE_OPTION, readBundle } from "../bundles/open-bundle.ts";
import { readPoints } from "../options/scale.ts";
import { commonUnit, PRICE_OPTIONS, readBudget, readPrices, readBundlePrices } from "../../../features/prices/cli/price-options.ts";

/** Options of `--gate`. */
const GATE_PLAN_OPTIONS = {
  baseline: option("PATH", "answers of a run of the unchanged model; two or more", { multiple: true }),
  drop: option("POINTS", "the drop to find (default 3)"),
  nights: option("N", "nights to find it within (default 30)"),
  "alarms-per-year": option("N", "accepted false alarms a year (default 1)"),
  "runs-per-year": option("N", "nights a year (default 365)"),
  seed: option("N", "of the replays (default 1)"),
};

export const planCommand: Command = {
  operands: { usage: "BUNDLE", option: "bundle" },
  options: {
    Data: BUNDLE_OPTION,
    Goal: {
      "half-width": option("POINTS", "half-width that nine models in ten shall have at most"),
      gap: option("POINTS", "the smallest true difference of two models to rank right"),
      level: option("0.95", "confidence level of the intervals"),
      "ranked-right": option("0.8", "share of cases to rank such models right"),
      trials: option("N[,N…]", "trials an item: plan for the expected score over runs, by items and trials"),
      ...rare({
        "repeat-price": option("SHARE", "price of a further trial over that of an item's first: with --trials"),
      }),
    },
    "A gate over nights": {
      gate: flag("which form finds a drop as a gate, by replays of --baseline runs"),
      ...GATE_PLAN_OPTIONS,
    },
    Prices: {
      ...PRICE_OPTIONS,
      budget: option("PRICE", "the most that all items may cost, such as 5usd"),
    },
  },
  examples: ["plan --bundle bundles/quiz --gap 2", "plan --bundle bundles/quiz --prices prices.csv --budget 5usd"],
  run: async (input) => {
    const { options, output, signal } = input;
    if (options.flag("gate")) return (await import("../../../features/gates/cli/plan-gate.ts")).planGate(input);
    options.refuse(Object.keys(GATE_PLAN_OPTIONS), "is for --gate, which isn't given");
    if (options.isGiven("trials")) return (await import("../../../features/trials/cli/plan-lines.ts")).planOverTrials(input);
    options.refuse(["repeat-price"], "is for --trials, which isn't given");
    const [halfWidth, gap] = [readPoints(options, "half-width"), readPoints(options, "gap")];
    if (halfWidth !== undefined && gap !== undefined) throw invalidOption("give --half-width or --gap, not both");
    const asked = {
      level: options.number("level", { min: 0, max: 1 }, 0.95),
      rankedRight: options.number("ranked-right", { min: 0, max: 1 }, 0.8),
      ...given({ halfWidth, gap }),
    };
    if (gap !== undefined) options.refuse(["prices", "budget"], "goes with --half-width, not with --gap");
    const priced = await readPrices(options, output);
    const budget = readBudget(options);
    const bundle = await readBundle(options, signal);
    const prices = await readBundlePrices(bundle, priced, options, signal);
    const plan = planFromBundle(bundle, asked);
    if (prices === null || gap !== undefined) {
      if (budget !== null)
        throw invalidOption("--budget needs prices: --prices FILE, as this bundle wasn't fitted by any");
      output.result(plan, planLines(plan));
      return;
    }
    const { priceChoices } = await import("anchoreval/internal/features/prices/sdk/price-choices");
    const { choiceLines } = await import("../../../features/prices/cli/price-choices.ts");
    const unit = commonUnit(prices.unit, budget?.unit ?? null, "--budget");
    const found = priceChoices(bundle, plan, { ...prices, unit }, budget && budget.amount);
    output.result({ ...plan, ...found }, [...planLines(plan), "", ...choiceLines(found, plan)]);
  },
};

/** Where a figure comes from, unless it was measured. */
const BASIS: Readonly<Record<Precision["basis"], string>> = {
  measured: "",
  between: "between measured sizes",
  beyond: "beyond the measured sizes",
  predicted: "predicted by the response model, not measured",
};

function planLines(plan: Plan): string[] {
  const { benchmark, version, level, rankedRight, forms, wanted, needed, enough } = plan;
  const heading = ["items", `half-width (${percent(level)})`, `gap ranked right (${percent(rankedRight)})`, ""];
  const table = (label: string, cells: string[][]): string[] => textTable([[label, ...heading], ...cells], "lrrrl");
  const lines = [
    `${benchmark} ${version}, in points`,
    "",
    ...table(
      "form",
      forms.flatMap((form) => rows(form, form.form!)),
    ),
    "",
  ];
  if (wanted !== null && needed !== null) {
    const goal = "halfWidth" in wanted ? `half-width ${points(wanted.halfWidth)}` : `gap ${points(wanted.gap)}`;
    const planned = [needed.overall, ...Object.values(needed.scenarios)];
    lines.push(...table(goal, rows(needed, "overall")), "");
    if (planned.some(({ basis }) => basis === "beyond"))
      lines.push("Beyond the measured sizes figures are extrapolated: to be sure, fit a bundle with such a form.");
    const overall = Object.keys(needed.scenarios).length > 1 ? " overall" : "";
    lines.push(
      enough === null
        ? `No form of this bundle is enough${overall}.`
        : `Form ${enough} of this bundle is enough${overall}.`,
    );
  }
  lines.push(
    "Figures are for models like the source models: half-widths that nine in ten of them have at most. Two models that answer alike take fewer items.",
  );
  return lines;
}

function rows({ overall, scenarios }: PlannedForm, label: string): string[][] {
  const parts = Object.entries(scenarios);
  if (parts.length === 1) return [row(label === "overall" ? parts[0]![0] : label, overall)];
  return [row(label, overall), ...parts.map(([id, precision]) => row(`  ${id}`, precision))];
}

function row(label: string, { items, of, halfWidth, gap, basis }: Precision): string[] {
  const all = items >= of ? "every item: exact" : BASIS[basis];
  return [label, `${items} of ${of}`, points(halfWidth), points(gap), all];
}
