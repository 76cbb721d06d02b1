import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import type { CalibrationBackend } from "../../../offline-trainer/src/calibrate/types.ts";
import { fitBank, type Bank } from "../../../offline-trainer/src/calibrate/bank.ts";
import type { ScenarioGroup } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { rowsOf } from "./held-out-estimates.ts";

export interface SmallBankOptions {
  readonly dims?: number;
  readonly backend?: CalibrationBackend;
  readonly random?: RandomSource;
}

/** The default's bank of a task's first models. */
export function smallBank(
  task: ScenarioGroup,
  models: number,
  { dims = 1, backend = typescriptBackend, random = createRandom(1) }: SmallBankOptions = {},
): Promise<Bank> {
  return fitBank(task, rowsOf(models), {
    dims,
    irtModel: "2pl",
    estimation: "penalised",
    shrinkage: 0.5,
    backend,
    random,
  });
}
