import type { Plan, PlannedForm, Precision } from "../plan/types.ts";
import { points } from "../words/figures.ts";
import { textTable } from "./text-table.ts";

const BASIS: Readonly<Record<Precision["basis"], string>> = {
  measured: "",
  between: "between measured sizes",
  beyond: "beyond the measured sizes",
  predicted: "predicted by the response model, not measured",
};

/** A plan for people. */
export function planLines(plan: Plan): string[] {
  const { benchmark, version, level, rankedRight, forms, wanted, needed, enough } = plan;
  const head = ["", "items", `± (${percent(level)})`, `gap ranked right ${percent(rankedRight)}`, ""];
  const lines = [
    `${benchmark} ${version}: what its forms can tell, in points`,
    "",
    ...textTable([head, ...forms.flatMap((form) => rows(form, `form ${form.form!}`))], "lrrrl"),
    "",
  ];
  if (wanted !== null && needed !== null) {
    const goal =
      "halfWidth" in wanted
        ? `intervals of ± ${points(wanted.halfWidth)} points`
        : `to rank two models ${points(wanted.gap)} points apart right ${percent(rankedRight)} of the time`;
    lines.push(`items needed: ${goal}`, "", ...textTable([head, ...rows(needed, "overall")], "lrrrl"), "");
    const extrapolated = [needed.overall, ...Object.values(needed.scenarios)].some(({ basis }) => basis === "beyond");
    if (extrapolated)
      lines.push("Sizes beyond those measured are extrapolated: fit a bundle with such a form to be sure.");
    lines.push(
      enough === null
        ? "No form of this bundle is enough overall."
        : `Form ${enough} of this bundle is enough overall.`,
    );
  }
  lines.push(
    "Of models like those seen; the gap is that of two full scores, and two models that answer alike are told apart sooner.",
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

function percent(share: number): string {
  return `${Math.round(1000 * share) / 10} %`;
}
