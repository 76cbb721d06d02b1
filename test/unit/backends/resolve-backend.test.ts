import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { InferenceSession } from "onnxruntime-node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { resolveBackend } from "../../../offline-trainer/src/backends/resolve-backend.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";

afterEach(() => vi.restoreAllMocks());

/** Work that takes hours on a CPU. */
const work = { models: 6349, items: 28_659, dims: 8, scenarios: 6, calibrations: 7 };

const createSession = InferenceSession.create.bind(InferenceSession) as (
  bytes: Uint8Array,
  options: InferenceSession.SessionOptions,
) => Promise<InferenceSession>;

/**
 * Every provider starts (on the CPU, in truth), but for `missing`, which fails as it does without its libraries.
 * @param change - what happens to a session that has started
 */
function withProviders(
  missing: string | null,
  change: (session: InferenceSession) => void = () => undefined,
  why = "Failed to load shared library\n  more lines",
): { tried: string[] } {
  const tried: string[] = [];
  const create = async (bytes: Uint8Array, options: InferenceSession.SessionOptions): Promise<InferenceSession> => {
    const [provider] = options.executionProviders as string[];
    tried.push(provider!);
    if (provider === missing) throw new Error(why);
    const session = await createSession(bytes, { executionProviders: ["cpu"] });
    change(session);
    return session;
  };
  vi.spyOn(InferenceSession, "create").mockImplementation(create as never);
  return { tried };
}

describe("auto", () => {
  test.each([
    undefined,
    "no available backend found. ERR: [cuda] backend not found.", // as WebAssembly says it
  ])("falls back to the CPU in float32, with a plain reason, where CUDA doesn't start", async (why) => {
    const { tried } = withProviders("cuda", undefined, why);
    const { backend, reason } = await resolveBackend("auto", { work });
    expect(backend).toMatchObject({ name: "onnxruntime-cpu", precision: "float32" });
    expect(reason).toBe("ONNX Runtime on the CPU: CUDA's libraries aren't here (docs/gpu.md)");
    expect(tried).toEqual(["cuda"]);
  });

  test("takes CUDA where it starts, in float64", async () => {
    withProviders(null);
    const { backend, reason } = await resolveBackend("auto", { work });
    expect(backend).toMatchObject({ name: "onnxruntime-cuda", precision: "float64" });
    expect(reason).toMatch(
      /^ONNX Runtime on CUDA: calibrations take about \d+ s here with its start, \d{3,} s on the CPU$/,
    );
  });

  test("falls back where CUDA fails only at its first run", async () => {
    withProviders(null, (session) => {
      vi.spyOn(session, "run").mockRejectedValue(new Error("CUDA failure 35: driver version is insufficient"));
    });
    const { backend, reason } = await resolveBackend("auto", { work });
    expect(backend.name).toBe("onnxruntime-cpu");
    expect(reason).toContain(": CUDA can't be used: CUDA failure 35: driver version is insufficient (docs");
    expectRefusal(await rejection(resolveBackend("cuda")), "unavailable", "CUDA failure 35");
  });

  test("falls back where CUDA computes wrong values", async () => {
    withProviders(null, (session) => {
      const run = session.run.bind(session) as (feeds: object) => Promise<Record<string, { data: Float64Array }>>;
      const wrong = async (feeds: object): Promise<unknown> => {
        const result = await run(feeds);
        result["excess"]!.data[0] = 0.125;
        return result;
      };
      vi.spyOn(session, "run").mockImplementation(wrong as never);
    });
    const { backend, reason } = await resolveBackend("auto", { work });
    expect(backend.name).toBe("onnxruntime-cpu");
    expect(reason).toContain("CUDA can't be used: onnxruntime-cuda computes wrong values (log 2 as 0.818");
    expectRefusal(await rejection(resolveBackend("cuda")), "unavailable", "computes wrong values (log 2 as 0.818");
  });
});

test("auto without work is refused, whatever types say", async () => {
  const asked = resolveBackend as (provider: string, options?: object) => Promise<unknown>;
  expectRefusal(await rejection(asked("auto")), "invalid_option", "the option work: give it");
  expectRefusal(await rejection(asked("auto", { works: work })), "invalid_option", "did you mean work");
});

describe("a provider asked for by name", () => {
  test.each(["cuda", "webgpu"] as const)("%s throws where it doesn't start", async (provider) => {
    withProviders(provider);
    const error = await rejection(resolveBackend(provider));
    expectRefusal(
      error,
      "unavailable",
      `ONNX Runtime could not start its ${provider} provider: Failed to load shared library`,
    );
    expect(error.message).not.toContain("more lines");
    expect(error.cause).toBeInstanceOf(Error);
  });

  test.each([
    ["cuda", "float64", "ONNX Runtime on CUDA: asked for"],
    ["webgpu", "float32", "ONNX Runtime on WebGPU: asked for"],
  ] as const)("%s is used where it starts, in %s", async (provider, precision, words) => {
    const { tried } = withProviders(null);
    const { backend, reason } = await resolveBackend(provider);
    expect(backend).toMatchObject({ name: `onnxruntime-${provider}`, precision });
    expect(reason).toBe(words);
    expect(backend).toHaveProperty("openOptimizer");
    expect(new Set(tried)).toEqual(new Set([provider]));
  });

  test("webgpu alone is finished by another backend, in float64 on the CPU", async () => {
    withProviders(null);
    expect((await resolveBackend("webgpu")).backend.finish).toMatchObject({
      name: "onnxruntime-cpu",
      precision: "float64",
    });
    for (const provider of ["cuda", "cpu", "typescript"] as const)
      expect((await resolveBackend(provider)).backend.finish).toBeUndefined();
  });

  test("cpu and typescript always start, without a try", async () => {
    const { tried } = withProviders(null);
    expect(await resolveBackend("cpu")).toMatchObject({
      backend: { name: "onnxruntime-cpu", precision: "float32" },
      reason: "ONNX Runtime on the CPU: asked for",
    });
    expect(await resolveBackend("typescript")).toMatchObject({
      backend: { name: "typescript", precision: "float64" },
      reason: "plain TypeScript: asked for",
    });
    expect(tried).toEqual([]);
    // Whole rounds in a graph are slow there.
    for (const provider of ["cpu", "typescript"] as const)
      expect((await resolveBackend(provider)).backend).not.toHaveProperty("openOptimizer");
  });

  test("cuda throws where its rounds come to wrong values", async () => {
    withProviders(null, (session) => {
      const run = session.run.bind(session) as (feeds: object) => Promise<Record<string, { data: Float64Array }>>;
      const wrong = async (feeds: object): Promise<unknown> => {
        const result = await run(feeds);
        if (result["point"]) result["value"]!.data[0] = 0.5;
        return result;
      };
      vi.spyOn(session, "run").mockImplementation(wrong as never);
    });
    expectRefusal(await rejection(resolveBackend("cuda")), "unavailable", "computes wrong values (log 2 as 0.5");
  });
});

describe("where ONNX Runtime can't be loaded", () => {
  const cause = new Error("Cannot find module '../bin/onnxruntime_binding.node'\nRequire stack:\n- x");
  const load = (): Promise<never> => Promise.reject(cause);

  test("auto gives plain TypeScript, and says why in one line", async () => {
    const { backend, reason } = await resolveBackend("auto", { work, load });
    expect(backend).toMatchObject({ name: "typescript", precision: "float64" });
    expect(reason).toMatch(
      /^plain TypeScript, much slower: ONNX Runtime can't be loaded on this machine \(\w+ \w+\): Cannot find module '.*'$/,
    );
  });

  test.each(["cpu", "cuda", "webgpu"] as const)("%s is unavailable, with the same reason", async (provider) => {
    const error = await rejection(resolveBackend(provider, { load }));
    expectRefusal(
      error,
      "unavailable",
      "): Cannot find module '../bin/onnxruntime_binding.node'; `provider: \"typescript\"`",
    );
    expect(error.cause).toBe(cause);
  });

  test("typescript doesn't try", async () => {
    const never = vi.fn(load);
    expect((await resolveBackend("typescript", { load: never })).reason).toBe("plain TypeScript: asked for");
    expect(never).not.toHaveBeenCalled();
  });

  test("auto works on a machine that ONNX Runtime really has no build for", async () => {
    const built = new URL(
      "../../../offline-trainer/dist/offline-trainer/src/backends/resolve-backend.js",
      import.meta.url,
    ).href;
    const lines = [
      'Object.defineProperty(process, "arch", { value: "pdp11" });',
      `const { resolveBackend } = await import(${JSON.stringify(built)});`,
      `const { backend, reason } = await resolveBackend("auto", { work: ${JSON.stringify(work)} });`,
      "process.stdout.write(JSON.stringify([backend.name, reason]));",
    ];
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", lines.join("\n")]);
    expect(JSON.parse(stdout)).toEqual([
      "typescript",
      expect.stringMatching(/pdp11\): Cannot find module .*onnxruntime_binding/),
    ]);
  });
});

test("on this machine, too, auto gives a backend that computes", async () => {
  const { backend, reason } = await resolveBackend("auto", { threads: 1, work });
  expect(reason).toMatch(/^ONNX Runtime on /);
  const objective = await backend.open({ subjects: 1, items: 1, signs: Int8Array.of(1) }, 1);
  const zero = (): Float64Array => new Float64Array(1);
  const gradient = { theta: zero(), a: zero(), b: zero() };
  const value = await objective.evaluate({ theta: zero(), a: zero(), b: zero() }, gradient);
  await objective.dispose();
  expect(value).toBeCloseTo(Math.LN2, 6);
  expect(gradient.b[0]).toBeCloseTo(0.5, 6);
});
