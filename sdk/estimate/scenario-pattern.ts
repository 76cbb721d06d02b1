import type { FormScenarioManifest } from "../core/bundle/manifest.ts";
import { LEAST_ANSWERED_SHARE } from "../core/estimators/answered-sample.ts";
import { type AnswerPattern, type Suspicion, suspicions } from "../core/person-fit/answer-pattern.ts";
import type { EstimateWarning, ScenarioPattern } from "./types.ts";

/** What each suspicion may mean, and what to do. */
const MEANING: Readonly<Record<Suspicion, string>> = {
  memorised:
    "it is right on items that models like it get wrong, as if it knew them by heart: they may have been in its training data. Ask other items (another form, or new ones) and compare",
  guessing:
    "right and wrong hardly follow how hard the items are, as if answers were guessed or matched to the wrong items: check item ids, prompts, chat template and how answers are read off",
  broken:
    "hardly an answer is right, and no source model is that weak, as if the harness found no answers in the outputs: read a few outputs before believing the score",
};

/**
 * A pattern with what is suspicious about it, by the thresholds that the bundle was measured to have.
 * @param stronger - the model looks stronger than any source
 */
export function scenarioPattern(
  pattern: AnswerPattern,
  { pattern: thresholds }: Pick<FormScenarioManifest, "pattern">,
  answeredShare: number,
  stronger: boolean,
): ScenarioPattern {
  const judged = thresholds != null && answeredShare >= LEAST_ANSWERED_SHARE;
  return { ...pattern, suspicions: judged ? suspicions(pattern, thresholds, stronger) : null };
}

/** One warning for all that is suspicious about a scenario's answers; null where nothing is. */
export function patternWarning(scenario: string, { suspicions: found }: ScenarioPattern): EstimateWarning | null {
  if (found === null || found.length === 0) return null;
  return {
    code: "suspicious_pattern",
    scenario,
    message: `${scenario}: suspicious answers (${found.join(", ")}): ${found.map((own) => MEANING[own]).join("; ")}. About one model in fifty like those seen is flagged by mistake.`,
  };
}
