import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import { invalidOption } from "anchoreval/internal/core/errors";
import { planFromBundle } from "anchoreval/internal/features/plan/sdk/plan-from-bundle";
import type { Plan, PlannedForm, Precision } from "anchoreval/internal/features/plan/sdk/types";
import { percent, points, textTable } from "anchoreval/internal/words/figures";
import { given, type Command, option } from "../../cli/src/program/command.ts";
import { type CommandPart, readParts, withParts } from "../../cli/src/program/parts.ts";
import { BUNDLE_OPTION, readBundle } from "../../cli/src/bundles/open-bundle.ts";
import { readPoints } from "../../cli/src/options/scale.ts";

/** A feature's part of `plan`. */
export type PlanPart = CommandPart<PlanAddition>;

/** A part's addition to a plan; null where this bundle has nothing of it. */
type PlanAddition = (
  bundle: Bundle,
  plan: Plan,
) => Promise<{ readonly fields: object; readonly lines: readonly string[] } | null>;

/** The command `plan`, with the parts of other features. */
export const planWith = (all: readonly PlanPart[]): Command =>
  withParts(all, {
    operands: { usage: "BUNDLE", option: "bundle" },
    options: {
      Data: BUNDLE_OPTION,
      Goal: {
        "half-width": option("POINTS", "half-width that nine models in ten shall have at most"),
        gap: option("POINTS", "the smallest true difference of two models to rank right"),
        level: option("0.95", "confidence level of the intervals"),
        "ranked-right": option("0.8", "share of cases to rank such models right"),
      },
    },
    examples: ["plan --bundle bundles/quiz --gap 2", "plan --bundle bundles/quiz --prices prices.csv --budget 5usd"],
    run: async (input) => {
      const { options, output, signal } = input;
      const [halfWidth, gap] = [readPoints(options, "half-width"), readPoints(options, "gap")];
      if (halfWidth !== undefined && gap !== undefined) throw invalidOption("give --half-width or --gap, not both");
      const asked = {
        level: options.number("level", { min: 0, max: 1 }, 0.95),
        rankedRight: options.number("ranked-right", { min: 0, max: 1 }, 0.8),
        ...given({ halfWidth, gap }),
      };
      const parts = await readParts(all, input);
      const bundle = await readBundle(options, signal);
      const plan = planFromBundle(bundle, asked);
      const additions = [];
      for (const add of parts) additions.push(await add(bundle, plan));
      output.result(Object.assign({ ...plan }, ...additions.map((addition) => addition?.fields)), [
        ...planLines(plan),
        ...additions.flatMap((addition) => addition?.lines ?? []),
      ]);
    },
  });

/** Where a figure comes from, unless it was measured. */
const BASIS: Readonly<Record<Precision["basis"], string>> = {
  measured: "",
  between: "between measured sizes",
  beyond: "beyond the measured sizes",
  predicted: "not measured: as many random items",
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
