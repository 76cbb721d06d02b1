import { answerInputs } from "../../../offline-trainer/src/threads/run-on-threads.ts";
import { type CalibratedAnswers, diagnoseScenario, type ScenarioDiagnosis } from "./diagnose-scenario.ts";

/** A thread of the audit of a fit's items. */
answerInputs(async (scenario: CalibratedAnswers, onItems: (done: number) => void): Promise<ScenarioDiagnosis> =>
  diagnoseScenario(scenario, { onItems }),
);
