import type { CheckOptions, CheckVerdict } from "anchoreval/internal/features/compare/sdk/check-types";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { ReadModel } from "anchoreval/internal/node/logs/anchor-logs";
import { isPinned, readBundle } from "../../../cli/src/bundles/open-bundle.ts";
import type { OptionReader } from "../../../cli/src/program/command.ts";
import type { PartInput } from "../../../cli/src/program/parts.ts";
import { readModel } from "../../../cli/src/options/answers.ts";
import { readPoints } from "../../../cli/src/options/scale.ts";

export const EXIT_CODES: Readonly<Record<CheckVerdict, number>> = { passed: 0, regressed: 3, undecided: 4 };

type DropRule = Required<Pick<CheckOptions, "maxDrop" | "alarmsPerYear" | "runsPerYear" | "level">> &
  Pick<CheckOptions, "allowYanked" | "onChangedItem">;

/** The rule of a check that answers didn't drop from a baseline's. */
export function readDropRule(options: OptionReader): DropRule {
  return {
    maxDrop: readPoints(options, "max-drop", { min: 0, max: 99 }) ?? 0.01,
    alarmsPerYear: options.number("alarms-per-year", {}, 1),
    runsPerYear: options.number("runs-per-year", {}, 365),
    level: options.number("level", { min: 0.5, max: 1 }, 0.95),
    ...(options.flag("allow-yanked") && { allowYanked: true }),
    ...(options.flag("drop-changed") && { onChangedItem: "drop" as const }),
  };
}

/** The bundle of a check, which should be pinned, and the runs of `--responses` and of `--baseline`. */
export async function readSides({ options, output, signal }: PartInput): Promise<{
  readonly bundle: Bundle;
  readonly runs: readonly ReadModel[];
  readonly baselines: readonly ReadModel[];
}> {
  const place = options.required("bundle");
  const bundle = await readBundle(options, signal);
  const { benchmark, version } = bundle.manifest;
  if (!isPinned(place))
    output.remark(
      `warning: ${place} is the latest version, today ${version}: a newer one would move the scores; pin it, …/${benchmark}/${version}`,
    );
  const runs: ReadModel[] = [];
  for (const path of options.texts("responses")) runs.push(await readModel([path], bundle, options));
  const baselines: ReadModel[] = [];
  for (const path of options.texts("baseline"))
    baselines.push(await readModel([path], bundle, options, { filesAreAnswers: true }));
  return { bundle, runs, baselines };
}
