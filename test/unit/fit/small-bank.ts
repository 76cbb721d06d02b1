import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import type { CalibrationBackend } from "../../../offline-trainer/src/calibrate/types.ts";
import { type CalibratedScenario, fitBank } from "../../../offline-trainer/src/calibrate/bank.ts";
import type { Scenario } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { rowsOf } from "./held-out-estimates.ts";

export interface SmallBankOptions {
  readonly dims?: number;
  readonly backend?: CalibrationBackend;
  readonly random?: RandomSource;
}

/** A scenario calibrated on its first models, as by default. */
export function smallBank(
  scenario: Scenario,
  models: number,
  { dims = 1, backend = typescriptBackend, random = createRandom(1) }: SmallBankOptions = {},
): Promise<CalibratedScenario> {
  return fitBank(scenario, rowsOf(models), {
    dims,
    irtModel: "2pl",
    estimation: "penalised",
    shrinkage: 0.5,
    backend,
    random,
  });
}
