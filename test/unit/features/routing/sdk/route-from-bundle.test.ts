import { loadBundle, loadRouting, routeFromBundle, type BundleRouting } from "anchoreval";
import type { RoutedQuestion } from "anchoreval/internal/features/routing/sdk/route-from-bundle";
import { parseManifest } from "anchoreval/bundle";
import { encodeManifest, sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { encodeSafetensors, decodeSafetensorsHeader, tensorData } from "anchoreval/internal/core/bundle/safetensors";
import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import { textCoordinates } from "anchoreval/internal/core/numeric/text-coordinates";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, refusal, rejection } from "../../../../support/refusal.ts";
import { routingBundle } from "../../../../support/routing-bundle.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";

const files = routingBundle();
const byText = await loadRouting(memorySource(files));
const byVector = await loadRouting(memorySource(routingBundle("embeddings")));

/** Chances by the formulas, from the arrays. */
function expectedChances({ scenarios }: BundleRouting, id: string, x: ArrayLike<number>): number[] {
  const { dims, center, axes, parameters, theta, answers, slope, shifts } = scenarios.get(id)!;
  const at = [0, 1].map((k) => [0, 1, 2].reduce((sum, c) => sum + (x[c]! - center[c]!) * axes[c * 2 + k]!, 0));
  const scaled = (p: number, m: number): number => sigmoid(shifts[m]! + slope * Math.log(p / (1 - p)));
  if (answers)
    return answers.map(({ mean, coefficients }, m) => {
      const p = mean + coefficients[0]! * at[0]! + coefficients[1]! * at[1]!;
      return scaled(Math.min(0.99, Math.max(0.01, p)), m);
    });
  const value = parameters.map(
    ({ mean, coefficients }) => mean + coefficients[0]! * at[0]! + coefficients[1]! * at[1]!,
  );
  const variance = parameters.map(
    ({ noise, spreads }) => noise * (1 + at[0]! ** 2 * spreads[0]! + at[1]! ** 2 * spreads[1]!),
  );
  return Array.from(shifts, (_, m) => {
    const own = theta.subarray(m * dims, (m + 1) * dims);
    const z = own.reduce((sum, t, d) => sum + t * value[d]!, -value[dims]!);
    const v = own.reduce((sum, t, d) => sum + t ** 2 * variance[d]!, variance[dims]!);
    const p = sigmoid(z / Math.sqrt(1 + (Math.PI * v) / 8));
    return scaled(p, m);
  });
}

describe("routes", () => {
  test("by vectors have the chances that the formulas say, whatever a vector's length", () => {
    const [x, y] = [
      [0.6, 0, 0.8],
      [3, 0, 4],
    ];
    const { routes, models } = routeFromBundle(byVector, [{ id: "x", embedding: x }, { embedding: y }], {
      scenario: "alpha",
    });
    const expected = expectedChances(byVector, "alpha", x);
    routes[0]!.chances.forEach((chance, m) => expect(chance).toBeCloseTo(expected[m]!, 12));
    routes[1]!.chances.forEach((chance, m) => expect(chance).toBeCloseTo(expected[m]!, 12));
    expect(routes.map(({ id }) => id)).toEqual(["x", null]);
    expect(routes[0]!.pick).toBe(models[expected.indexOf(Math.max(...expected))]);
  });

  test("by texts go over the texts' coordinates", () => {
    const text = "Is the prime of an empire a matrix?";
    const { routes, models } = routeFromBundle(byText, [{ text }], { scenario: "beta/γ" });
    expect(models).toEqual(["model 0", "model 2", "model 3"]);
    const expected = expectedChances(byText, "beta/γ", textCoordinates(text, byText.projection!)!);
    routes[0]!.chances.forEach((chance, m) => expect(chance).toBeCloseTo(expected[m]!, 12));
    expect(routes[0]!.unknown).toBe(false);
  });

  test("of a text without a known term are those of a mean question, and say so", () => {
    const { routes } = routeFromBundle(byText, [{ text: "xyzzy!" }], { scenario: "alpha" });
    const expected = expectedChances(byText, "alpha", byText.scenarios.get("alpha")!.center);
    routes[0]!.chances.forEach((chance, m) => expect(chance).toBeCloseTo(expected[m]!, 12));
    expect(routes[0]!.unknown).toBe(true);
  });

  test("weigh costs", () => {
    const question: RoutedQuestion[] = [{ text: "prime matrix" }];
    const free = routeFromBundle(byText, question, { scenario: "alpha" });
    const pick = free.routes[0]!.pick;
    const dear = routeFromBundle(byText, question, { scenario: "alpha", costs: { [pick]: 10 }, costWeight: 0.1 });
    expect(dear.routes[0]!.pick).not.toBe(pick);
    expect(dear.routes[0]!.chances).toEqual(free.routes[0]!.chances);
    const unweighed = routeFromBundle(byText, question, { scenario: "alpha", costs: { [pick]: 10 }, costWeight: 0 });
    expect(unweighed).toEqual(free);
  });

  test("name the bundle, its best single model and what picks were worth", () => {
    const digest = `sha256:${sha256Hex(files.get("manifest.json")!)}`;
    expect(routeFromBundle(byText, [{ text: "cell" }], { scenario: "alpha" })).toMatchObject({
      ...{ benchmark: "sample", version: "1.0.0", digest, scenario: "alpha", single: "model 2" },
      leftOut: { questions: 40, right: 0.64, singleRight: 0.6 },
    });
  });
});

describe("refuses", () => {
  test.each<[string, BundleRouting, RoutedQuestion[], object, string, string]>([
    ["no questions", byText, [], { scenario: "alpha" }, "invalid_data", "there are no questions"],
    [
      "no text",
      byText,
      [{ text: "cell" }, { text: " " }],
      { scenario: "alpha" },
      "invalid_data",
      "questions.1.text: the question has no text",
    ],
    [
      "a vector in place of a text",
      byText,
      [{ embedding: [1, 0, 0] }],
      { scenario: "alpha" },
      "invalid_data",
      "goes by texts",
    ],
    [
      "a text in place of a vector",
      byVector,
      [{ text: "cell" }],
      { scenario: "alpha" },
      "invalid_data",
      "goes by vectors",
    ],
    ["no vector", byVector, [{}], { scenario: "alpha" }, "invalid_data", "the question has no embedding"],
    [
      "a vector of another length",
      byVector,
      [{ embedding: [1] }],
      { scenario: "alpha" },
      "invalid_data",
      "a vector has 3 numbers here, got 1",
    ],
    ["a vector of zeros", byVector, [{ embedding: [0, 0, 0] }], { scenario: "alpha" }, "invalid_data", "not all are 0"],
    [
      "NaN in a vector",
      byVector,
      [{ embedding: [0, NaN, 0] }],
      { scenario: "alpha" },
      "invalid_data",
      "finite numbers",
    ],
    ["several scenarios, none named", byText, [{ text: "cell" }], {}, "unknown_scenario", "name one: alpha, beta/γ"],
    ["another scenario", byText, [{ text: "cell" }], { scenario: "gsm" }, "unknown_scenario", "no routes of gsm"],
    [
      "a model's cost that isn't here",
      byText,
      [{ text: "cell" }],
      { scenario: "beta/γ", costs: { "model 1": 1 } },
      "invalid_option",
      "isn't among the models",
    ],
    [
      "a negative cost",
      byText,
      [{ text: "cell" }],
      { scenario: "alpha", costs: { "model 1": -1 } },
      "invalid_option",
      "at least 0",
    ],
    [
      "a weight that is no number",
      byText,
      [{ text: "cell" }],
      { scenario: "alpha", costWeight: NaN },
      "invalid_option",
      "costWeight",
    ],
  ])("%s", (_, routing, questions, options, code, fragment) => {
    expectRefusal(
      refusal(() => routeFromBundle(routing, questions, options)),
      code as "invalid_data",
      fragment,
    );
  });

  test("bundles without routes, or without names", async () => {
    for (const without of [sampleBundle(), routingBundle("tf-idf", { names: false })])
      expectRefusal(
        await rejection(loadRouting(memorySource(without))),
        "unsupported",
        "`coldStart` and `includeModelNames`",
      );
  });

  /** The bundle with arrays changed, its digests right. */
  function tampered(change: (name: string, data: Float64Array | Float32Array | Uint32Array) => typeof data | null) {
    const bytes = files.get("routing.safetensors")!;
    const { tensors } = decodeSafetensorsHeader(bytes, bytes.length);
    const changed = encodeSafetensors(
      [...tensors].flatMap(([name, entry]) => {
        const data = change(name, tensorData(entry, bytes, 0).slice());
        return data ? [{ name, shape: entry.shape, data }] : [];
      }),
    );
    const manifest = parseManifest(files.get("manifest.json")!);
    const described = manifest.files.map((file) =>
      file.name === "routing.safetensors" ? { ...file, bytes: changed.length, sha256: sha256Hex(changed) } : file,
    );
    const text = encodeManifest({ ...manifest, files: described });
    return loadRouting(memorySource(new Map([...files, ["routing.safetensors", changed], ["manifest.json", text]])));
  }

  test.each<[string, Parameters<typeof tampered>[0], string]>([
    [
      "a missing array",
      (name, data) => (name === "scenario.0.theta" ? null : data),
      "tensor scenario.0.theta is missing",
    ],
    [
      "NaN",
      (name, data) => (name === "terms.axes" ? data.fill(NaN) : data),
      "terms.axes holds NaN at 0, and not a number",
    ],
    ["unsorted terms", (name, data) => (name === "terms.hash" ? data.reverse() : data), "hashes don't ascend"],
    [
      "unknown models",
      (name, data) => (name === "scenario.1.models" ? data.fill(9) : data),
      "models of beta/γ aren't among the sources",
    ],
    ["negative noise", (name, data) => (name === "scenario.0.noise" ? data.fill(-1) : data), "out of range"],
  ])("%s in routing.safetensors", async (_, change, fragment) => {
    expectRefusal(await rejection(tampered(change)), "bundle_invalid", fragment);
  });
});

test("estimates don't read the routes", async () => {
  const asked: string[] = [];
  const source = memorySource(files);
  await loadBundle({
    name: "memory",
    read: (file, options) => {
      asked.push(file);
      return source.read(file, options);
    },
  });
  expect(new Set(asked)).toEqual(new Set(["manifest.json", "parameters.safetensors", "anchors.jsonl"]));
});
