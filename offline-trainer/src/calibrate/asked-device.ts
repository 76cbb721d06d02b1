import type { CodedResponses } from "../matrix/code-responses.ts";
import type { LbfgsResult } from "./lbfgs.ts";
import type { CalibrationBackend, DeviceOptimizer, Optimizer, Parameters, Round } from "./types.ts";

/** A question to the thread that has the device, in plain data; optimizers have numbers. */
export type DeviceQuestion =
  | { readonly kind: "open"; readonly responses: CodedResponses; readonly dims: number }
  | { readonly kind: "among"; readonly optimizer: number; readonly rows: readonly number[] }
  | { readonly kind: "optimize"; readonly optimizer: number; readonly at: Parameters; readonly round: Round }
  | { readonly kind: "dispose"; readonly optimizer: number };

/** Where a round ended. */
interface EndOfRound {
  readonly at: Parameters;
  readonly result: LbfgsResult;
}

/** A backend as a thread may know it. */
export type DeviceDescription = Pick<CalibrationBackend, "name" | "precision">;

/**
 * The backend of a thread whose calibrations the caller's device computes, so that all that isn't calibration has cores of its
 * own.
 * @param ask - gets the answers of {@link answeringDevice}
 */
export function askingBackend(
  { name, precision }: DeviceDescription,
  ask: (question: DeviceQuestion) => Promise<unknown>,
): CalibrationBackend {
  const asking = (optimizer: number): Optimizer => ({
    optimize: async (at, round) => {
      const end = (await ask({ kind: "optimize", optimizer, at, round })) as EndOfRound;
      for (const key of ["theta", "a", "b"] as const) at[key].set(end.at[key]);
      return end.result;
    },
    dispose: async () => {
      await ask({ kind: "dispose", optimizer });
    },
  });
  return {
    name,
    precision,
    open: () => Promise.reject(new Error(`${name} computes whole rounds on threads`)),
    openOptimizer: async (responses, dims) => {
      const { optimizer, bytes } = (await ask({ kind: "open", responses, dims })) as OpenedOptimizer;
      const among = (rows: ArrayLike<number>): Optimizer => {
        const part = ask({ kind: "among", optimizer, rows: Array.from(rows) }) as Promise<number>;
        return {
          optimize: async (...input) => asking(await part).optimize(...input),
          dispose: async () => asking(await part).dispose(),
        };
      };
      return { ...asking(optimizer), among, bytes };
    },
  };
}

interface OpenedOptimizer extends Pick<DeviceOptimizer, "bytes"> {
  readonly optimizer: number;
}

/**
 * Answers threads' questions to a device, one at a time: it computes one round after the other.
 * @param backendOf - the backend of a thread's input
 */
export function answeringDevice(backendOf: (input: number) => CalibrationBackend) {
  const optimizers = new Map<number, Optimizer & Partial<DeviceOptimizer>>();
  let count = 0;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined); // it is the asker's
    return done;
  };
  const keep = (optimizer: Optimizer): number => {
    optimizers.set(++count, optimizer);
    return count;
  };
  const answer = async (input: number, question: DeviceQuestion): Promise<unknown> => {
    if (question.kind === "open") {
      const { responses, dims } = question;
      const device = await backendOf(input).openOptimizer!(responses, dims);
      return { optimizer: keep(device), bytes: device.bytes } satisfies OpenedOptimizer;
    }
    const optimizer = optimizers.get(question.optimizer)!;
    if (question.kind === "among") return keep(optimizer.among!(question.rows));
    if (question.kind === "optimize") {
      const { at, round } = question;
      return { result: await optimizer.optimize(at, round), at } satisfies EndOfRound;
    }
    optimizers.delete(question.optimizer);
    return optimizer.dispose();
  };
  return {
    answer: (input: number, question: DeviceQuestion): Promise<unknown> => inTurn(() => answer(input, question)),
    /** Once no question is open. */
    dispose: (): Promise<void> =>
      inTurn(async () => {
        for (const optimizer of optimizers.values()) await optimizer.dispose();
        optimizers.clear();
      }),
  };
}
