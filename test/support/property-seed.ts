import fc from "fast-check";
import { WHOLE } from "./whole.ts";

/** One seed for all property tests, so that a failure repeats; FC_SEED tries another, FC_RUNS more inputs. */
fc.configureGlobal({
  seed: Number(process.env["FC_SEED"] ?? 20261121),
  numRuns: Number(process.env["FC_RUNS"] ?? (WHOLE ? 100 : 40)),
});
