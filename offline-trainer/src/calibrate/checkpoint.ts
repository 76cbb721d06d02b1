import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { decodeSafetensorsHeader, encodeSafetensors, tensorData } from "anchoreval/internal/core/bundle/safetensors";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { readFound } from "anchoreval/internal/node/whole-file";
import { replaceFile, whyNot } from "anchoreval/internal/node/write-file";
import { calibrate, type CalibrateOptions, type Calibration, type CalibrationState } from "./calibrate.ts";
import type { CodedResponses } from "../matrix/code-responses.ts";

/**
 * Calibrates with a memory: every calibration leaves its state in a file of the folder after each round, and its result
 * at the end. One of the same responses, options and seed goes on from there, to the same result as without a break.
 * @param folder - made where it is missing; its files may be deleted at any time
 * @throws AnchorEvalError `unavailable` where the folder can't be written, `invalid_data` for a file that isn't whole
 */
export function checkpointed(folder: string): typeof calibrate {
  return async (responses, options) => {
    const path = join(folder, `${keyOf(responses, options)}.safetensors`);
    const saved = await readState(path);
    if (saved && "converged" in saved) return saved;
    const result = await calibrate(responses, {
      ...options,
      ...(saved && { resume: saved }),
      onRound: async (state) => {
        await writeState(folder, path, state);
        await options.onRound?.(state);
      },
    });
    await writeState(folder, path, result);
    return result;
  };
}

/** Digest of all that a calibration's result depends on. */
function keyOf(responses: CodedResponses, options: CalibrateOptions): string {
  const { dims, backend, random, rounds, maxEvaluations, tolerance, shrinkage, fixed } = options;
  const stream = random.fork("checkpoint");
  const hash = createHash("sha256").update(
    JSON.stringify({
      subjects: responses.subjects,
      items: responses.items,
      dims,
      backend: [backend.name, backend.precision],
      random: [stream.next(), stream.next()],
      rounds,
      maxEvaluations,
      tolerance,
      shrinkage,
    }),
  );
  const { signs } = responses;
  const all = fixed ? [signs, fixed.isFixed, fixed.a, fixed.b, fixed.prior.mean, fixed.prior.precision] : [signs];
  for (const { buffer, byteOffset, byteLength } of all) hash.update(new Uint8Array(buffer, byteOffset, byteLength));
  return hash.digest("hex").slice(0, 32);
}

async function writeState(folder: string, path: string, state: CalibrationState | Calibration): Promise<void> {
  const { theta, a, b, scales, evaluations } = state;
  const ends =
    "converged" in state
      ? [1, evaluations, state.value, state.gradientNorm, state.converged ? 1 : 0]
      : [0, evaluations, state.round, 0, 0];
  const vectors = {
    theta,
    a,
    b,
    a_mean: scales.aMean,
    a_variance: scales.aVariance,
    b_mean_and_variance: Float64Array.of(scales.bMean, scales.bVariance),
    progress: Float64Array.from(ends),
  };
  const bytes = encodeSafetensors(
    Object.entries(vectors).map(([name, data]) => ({ name, shape: [data.length], data })),
  );
  try {
    await mkdir(folder, { recursive: true });
    await replaceFile(path, bytes);
  } catch (cause) {
    throw unavailable(path, "written", cause as Error);
  }
}

/** A state of a hundred million models and items. @unit bytes */
const MOST_STATE_BYTES = 2 ** 32;

async function readState(path: string): Promise<CalibrationState | Calibration | null> {
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await readFound(path, MOST_STATE_BYTES));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw unavailable(path, "read", cause as Error);
  }
  try {
    const { tensors } = decodeSafetensorsHeader(bytes, bytes.length);
    const vector = (name: string): Float64Array => Float64Array.from(tensorData(tensors.get(name)!, bytes, 0));
    const [bMean, bVariance] = vector("b_mean_and_variance");
    const [ended, evaluations, value, gradientNorm, converged] = vector("progress");
    const aMean = vector("a_mean");
    const state = {
      theta: vector("theta"),
      a: vector("a"),
      b: vector("b"),
      scales: { aMean, aVariance: vector("a_variance"), bMean: bMean!, bVariance: bVariance! },
      evaluations: evaluations!,
    };
    if (ended === 0) return { ...state, round: value! };
    return { ...state, dims: aMean.length, value: value!, gradientNorm: gradientNorm!, converged: converged === 1 };
  } catch (cause) {
    throw new AnchorEvalError("invalid_data", `the checkpoint ${path} isn't whole: delete it, and fit again`, {
      cause,
    });
  }
}

function unavailable(path: string, what: "read" | "written", cause: Error): AnchorEvalError {
  return new AnchorEvalError("unavailable", `the checkpoint ${path} could not be ${what}: ${whyNot(cause)}`, { cause });
}
