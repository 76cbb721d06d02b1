import { invalidOption } from "anchoreval/internal/core/errors";
import { DIMENSION_CANDIDATES } from "anchoreval-trainer/internal/calibrate/choose-dimension";
import { ANCHOR_METHOD_NAMES } from "anchoreval-trainer/internal/methods/index";
import { DEFAULT_SETTINGS, LAMBDA_RULES, SCORE_MAPS } from "anchoreval-trainer/internal/methods/settings";
import { IRT_MODELS, lookUp, WEIGHTINGS } from "anchoreval/internal/core/bundle/names";
import { ALL_ESTIMATORS } from "anchoreval/internal/core/estimators/types";
import { type Command, option, OptionReader, type OptionSpec, type OptionSpecs } from "../program/command.ts";
import { nearestName } from "../program/parse.ts";

/** Settings of a method, which `--set NAME=VALUE` puts in the place of its recipe's. */
export const SETTINGS = {
  weighting: option(
    WEIGHTINGS.join("|"),
    "what counts equally in a scenario's score (default: as in import.json, else subscenarios)",
  ),
  selection: option(
    "NAME",
    `how anchors are chosen: ${ANCHOR_METHOD_NAMES.join(", ")} (default ${DEFAULT_SETTINGS.selection})`,
    { choices: ANCHOR_METHOD_NAMES },
  ),
  estimator: option(
    "NAME",
    `estimator of the score: ${ALL_ESTIMATORS.join(", ")}; auto depends on the anchors (default auto)`,
    { choices: ["auto", ...ALL_ESTIMATORS] },
  ),
  "score-map": option(
    ["auto", ...SCORE_MAPS].join("|"),
    "features of the score map: the anchors' mean; additive: also the ability and the other scenarios (default auto: depends on the anchors)",
  ),
  dims: option(
    "auto|N[,N]",
    `largest number of latent dimensions; of several the one that predicts held-out models best, auto tries ${DIMENSION_CANDIDATES.join(", ")}, and more on CUDA while they are better (default ${String(DEFAULT_SETTINGS.dims)})`,
  ),
  "irt-model": option(IRT_MODELS.join("|"), "response model; all but 2pl have one dimension (default 2pl)"),
  estimation: option(
    "penalised|marginal",
    "estimate abilities with the items, or integrate them out, in one dimension (default: penalised for 2pl)",
  ),
  shrinkage: option(
    "S",
    `share of the learned variance of discriminations to keep (default ${DEFAULT_SETTINGS.shrinkage})`,
  ),
  "search-budget": option(
    "N",
    "response models and designs to try on held-out models, for anchors chosen by fisher-information (default 0)",
  ),
  "prior-scale": option("K", `width of the ability prior N(μ, K²Σ) (default ${DEFAULT_SETTINGS.priorScale})`),
  lambda: option(LAMBDA_RULES.join("|"), `how λ of gp-irt is chosen (default ${DEFAULT_SETTINGS.lambda})`),
  separate: option("true", "estimate every scenario from its own answers alone"),
} as const satisfies OptionSpecs;

/** The option of a command whose method has these settings. */
export function setOption(settings: OptionSpecs): { readonly set: OptionSpec } {
  const choices = Object.entries(settings).flatMap(([name, { value = "", choices: names = value.split("|") }]) =>
    names.map((word) => `${name}=${/^[a-z0-9]/.test(word) ? word : ""}`),
  );
  const names = Object.keys(settings).join(", ");
  return {
    set: option("NAME=VALUE", `a setting of the method: ${names}; may be repeated`, { multiple: true, choices }),
  };
}

/** Where `--help-all` says what settings take. */
export function settingsHelp(settings: OptionSpecs): NonNullable<Command["appendix"]> {
  const rows = Object.entries(settings).map(([name, spec]) => [`${name}=${spec.value!}`, spec.description] as const);
  return { heading: "Settings of --set NAME=VALUE", rows };
}

/**
 * The settings of `--set`, by name, as they are given.
 * @throws AnchorEvalError `invalid_option` for one that isn't NAME=VALUE, that there isn't or the command hasn't, or that is given twice
 */
export function settingsOf(options: OptionReader, settings: OptionSpecs = SETTINGS): Readonly<Record<string, string>> {
  const values = new Map<string, string>();
  for (const text of options.texts("set")) {
    const [, name, value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    if (name === undefined) throw invalidOption(`--set takes NAME=VALUE, such as dims=2; got ${text}`);
    const before = values.get(name);
    if (before !== undefined)
      throw invalidOption(`--set ${name} is given twice, ${before} and ${value!}: it takes one value`);
    if (lookUp(settings, name) === undefined) {
      const names = Object.keys(settings);
      const near = nearestName(name, names);
      const there = lookUp<OptionSpec>(SETTINGS, name) !== undefined;
      throw invalidOption(
        `${there ? `--set ${name} does nothing here` : `--set: there is no setting ${name}${near === null ? "" : ` (did you mean ${near}?)`}`}: there are ${names.join(", ")}`,
      );
    }
    values.set(name, value!);
  }
  return Object.fromEntries(
    Object.keys(settings).flatMap((name) => (values.has(name) ? [[name, values.get(name)!]] : [])),
  );
}

/** {@link settingsOf}, read as what they must be. */
export function readSettings(options: OptionReader, settings?: OptionSpecs): OptionReader {
  return new OptionReader(settingsOf(options, settings), "set ");
}
