import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { calibrate, type CalibrateOptions } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import { checkpointed } from "../../../offline-trainer/src/calibrate/checkpoint.ts";
import type { CodedResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { simulatedResponses } from "./simulated-responses.ts";

const folder = tempFolder();
const { responses } = simulatedResponses({ subjects: 40, items: 50, dims: 2, missing: 0.1 });
const options: CalibrateOptions = { dims: 2, backend: typescriptBackend, random: createRandom(3) };

/** How many gradients a run asked for. */
async function counted(
  run: typeof calibrate,
  data: CodedResponses = responses,
  change: Partial<CalibrateOptions> = {},
): Promise<{ result: Awaited<ReturnType<typeof calibrate>>; evaluations: number }> {
  let evaluations = 0;
  const backend = {
    ...typescriptBackend,
    open: async (...given: Parameters<typeof typescriptBackend.open>) => {
      const objective = await typescriptBackend.open(...given);
      return {
        ...objective,
        evaluate: (...at: Parameters<typeof objective.evaluate>) => {
          evaluations++;
          return objective.evaluate(...at);
        },
      };
    },
  };
  const result = await run(data, { ...options, backend, ...change });
  return { result, evaluations };
}

describe("a calibration with a memory", () => {
  test("is the same as without, and costs nothing the second time", async () => {
    const plain = await counted(calibrate);
    const run = checkpointed(folder.path("whole"));
    const first = await counted(run);
    expect(first).toEqual(plain);
    const second = await counted(run);
    expect(second).toEqual({ result: plain.result, evaluations: 0 });
  });

  test("stopped in any round, goes on from the last one that ended, to the same result", async () => {
    const plain = await counted(calibrate);
    for (const stop of [5, 40, 75, 100].filter((count) => count < plain.evaluations)) {
      const run = checkpointed(folder.path(`stopped ${stop}`));
      const controller = new AbortController();
      const onStep = ({ evaluations }: { evaluations: number }): void => {
        if (evaluations >= stop) controller.abort();
      };
      const refused = counted(run, responses, { onStep, signal: controller.signal });
      expectRefusal(await rejection(refused), "aborted", "the calibration was stopped");
      const rest = await counted(run);
      expect(rest.result).toEqual(plain.result);
      if (stop > 60) expect(rest.evaluations).toBeLessThan(plain.evaluations);
    }
  });
});

test("other responses, options or seeds are other calibrations", async () => {
  const path = folder.path("many");
  const run = checkpointed(path);
  const changes: [CodedResponses, Partial<CalibrateOptions>][] = [
    [responses, {}],
    [responses, { dims: 1 }],
    [responses, { random: createRandom(4) }],
    [responses, { rounds: 2 }],
    [responses, { tolerance: 1e-4 }],
    [{ ...responses, signs: responses.signs.with(0, -responses.signs[0]! || 1) }, {}],
  ];
  for (const [k, [data, change]] of changes.entries()) {
    await run(data, { ...options, ...change });
    expect(readdirSync(path)).toHaveLength(k + 1);
  }
  expect(readdirSync(path).every((name) => /^[0-9a-f]{32}\.safetensors$/.test(name))).toBe(true);
});

test("a file that isn't whole is refused by name, never taken", async () => {
  const path = folder.path("torn");
  const run = checkpointed(path);
  await run(responses, options);
  const file = join(path, readdirSync(path)[0]!);
  for (const bytes of [readFileSync(file).subarray(0, 100), Buffer.from("?")]) {
    writeFileSync(file, bytes);
    expectRefusal(await rejection(run(responses, options)), "invalid_data", `${file} isn't whole: delete it`);
  }
});

test("a folder that can't be made is a plain error", async () => {
  folder.write("taken", "a file");
  const refused = checkpointed(folder.path("taken/here"))(responses, options);
  expectRefusal(await rejection(refused), "unavailable", "the checkpoint");
});
