import { readFile } from "node:fs/promises";
import { type ScenarioChoice, scenarioChoices } from "anchoreval/internal/plan/scenario-choices";
import { planFromBundle } from "anchoreval/internal/plan/plan-from-bundle";
import type { Plan, PlannedForm, Precision } from "anchoreval/internal/plan/types";
import { isObject } from "anchoreval/internal/tables/json-records";
import { percent, points, textTable } from "anchoreval/internal/words/figures";
import { flag, given, type Command, option, invalidOption } from "../command.ts";
import { BUNDLE_OPTION, readBundle } from "../open-bundle.ts";
import { readPoints } from "../options/scale.ts";

export const planCommand: Command = {
  operands: { usage: "BUNDLE", option: "bundle" },
  options: {
    Data: BUNDLE_OPTION,
    Goal: {
      "half-width": option("POINTS", "half-width that nine models in ten shall have at most"),
      gap: option("POINTS", "the smallest true difference of two models to rank right"),
      level: option("0.95", "confidence level of the intervals"),
      "ranked-right": option("0.8", "share of cases to rank such models right"),
    },
    "A gate over nights": {
      gate: flag("which form finds a drop as a gate, by replays of --baseline runs"),
      baseline: option("PATH", "answers of a run of the unchanged model; two or more", { multiple: true }),
      drop: option("POINTS", "the drop to find (default 3)"),
      nights: option("N", "nights to find it within (default 30)"),
      "alarms-per-year": option("N", "accepted false alarms a year (default 1)"),
      "runs-per-year": option("N", "nights a year (default 365)"),
      seed: option("N", "of the replays (default 1)"),
    },
    Scenarios: {
      prices: option(
        "FILE",
        "which scenarios to ask: JSON {scenario: price of an item}, in seconds, tokens or dollars",
      ),
      budget: option("PRICE", "the most that all items may cost"),
    },
  },
  examples: ["plan --bundle bundles/quiz --gap 2", "plan --bundle bundles/quiz --prices prices.json --half-width 4"],
  run: async ({ options, output, signal }) => {
    if (options.flag("gate")) {
      options.refuse(["half-width", "gap", "ranked-right", "level", "prices", "budget"], "isn't for a gate");
      const goal = {
        drop: readPoints(options, "drop") ?? 0.03,
        nights: options.number("nights", { min: 1, max: 1000, integer: true }, 30),
        alarmsPerYear: options.number("alarms-per-year", {}, 1),
        runsPerYear: options.number("runs-per-year", {}, 365),
        seed: options.number("seed", { min: 0, integer: true }, 1),
        replays: 200,
      };
      const { planGate } = await import("../gate/plan-gate.ts");
      await planGate(await readBundle(options, signal), options.texts("baseline"), goal, output);
      return;
    }
    options.refuse(["baseline", "drop", "nights", "alarms-per-year", "runs-per-year", "seed"], "is for --gate, which isn't given"); // prettier-ignore
    const [halfWidth, gap] = [readPoints(options, "half-width"), readPoints(options, "gap")];
    if (halfWidth !== undefined && gap !== undefined) throw invalidOption("give --half-width or --gap, not both");
    const asked = {
      level: options.number("level", { min: 0, max: 1 }, 0.95),
      rankedRight: options.number("ranked-right", { min: 0, max: 1 }, 0.8),
      ...given({ halfWidth, gap }),
    };
    const file = options.text("prices");
    if (file === undefined) options.refuse(["budget"], "is for the prices of --prices FILE, which isn't given");
    if (file !== undefined && gap !== undefined) throw invalidOption("--prices goes with --half-width, not with --gap");
    const budget = options.number("budget", { min: 0 }, Infinity);
    const prices = file === undefined ? null : await readPrices(file);
    const bundle = await readBundle(options, signal);
    const plan = planFromBundle(bundle, asked);
    if (prices === null) {
      output.result(plan, planLines(plan));
      return;
    }
    const choices = scenarioChoices(bundle.manifest, prices, asked.level);
    const affordable = choices.filter(({ cost }) => cost <= budget);
    const enough = affordable.find((own) => own.halfWidth <= (halfWidth ?? 0));
    const chosen = enough ?? affordable.at(-1) ?? null;
    output.result({ ...plan, choices, chosen }, [
      ...planLines(plan),
      "",
      ...choiceLines(choices, chosen, plan.level),
      ...(chosen === null ? ["No choice is within the budget."] : []),
      ...(chosen && halfWidth !== undefined && !enough
        ? ["No choice within the budget is that narrow: the narrowest is marked."]
        : []),
      "Scenarios that aren't asked are predicted from the others; half-widths are of the overall score, of a model in the middle of the source models.",
    ]);
  },
};

/** @throws AnchorEvalError `invalid_option` for a file that is no JSON object of numbers */
async function readPrices(file: string): Promise<Record<string, number>> {
  let prices: unknown;
  try {
    prices = JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    throw invalidOption(`--prices ${file} can't be read as JSON: ${(cause as Error).message}`);
  }
  if (!isObject(prices) || !Object.values(prices).every((price) => typeof price === "number"))
    throw invalidOption(`--prices ${file} must be an object of numbers, {scenario: price of an item}`);
  return prices as Record<string, number>;
}

/** Most choices that are shown: the others lie between them. */
const MOST_SHOWN = 12;

function choiceLines(choices: readonly ScenarioChoice[], chosen: ScenarioChoice | null, level: number): string[] {
  const every = Math.ceil(choices.length / MOST_SHOWN);
  const shown = choices.filter((own, k) => own === chosen || (choices.length - 1 - k) % every === 0);
  return textTable(
    [
      ["", "form", "cost", `half-width (${percent(level)})`, "scenarios to ask"],
      ...shown.map((own) => [
        own === chosen ? ">" : "",
        own.form,
        own.cost.toPrecision(4),
        points(own.halfWidth),
        own.scenarios.join(", "),
      ]),
    ],
    "llrrl",
  );
}

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
    lines.push(
      enough === null
        ? "No form of this bundle is enough overall."
        : `Form ${enough} of this bundle is enough overall.`,
    );
  }
  lines.push(
    "Figures are for models like the source models: half-widths that nine in ten of them have at most. Two models that answer alike take fewer items.",
  );
  return lines;
}

function rows({ overall, scenarios }: PlannedForm, label: string): string[][] {
  const parts = Object.entries(scenarios);
  return [
    ...(parts.length > 1 || label !== "overall" ? [row(label, overall)] : []),
    ...parts.map(([id, precision]) => row(`  ${id}`, precision)),
  ];
}

function row(label: string, { items, of, halfWidth, gap, basis }: Precision): string[] {
  const all = items >= of ? "every item: exact" : BASIS[basis];
  return [label, `${items} of ${of}`, points(halfWidth), points(gap), all];
}
