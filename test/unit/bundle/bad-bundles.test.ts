/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-return, @typescript-eslint/restrict-plus-operands -- manifests are broken on purpose, as loose JSON */
import { type AnchorEvalError, loadBundle } from "anchoreval";
import { parseManifest, type BundleFileName } from "anchoreval/bundle";
import { partOf } from "anchoreval/internal/core/bundle/part";
import { basePart } from "anchoreval/internal/features/versions/core";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { sampleBundle, SAMPLE_UNASKED } from "../../support/sample-bundle.ts";
import {
  flipped,
  withAnchors,
  withFields,
  withFile,
  withManifest,
  withTensor,
  withTensors,
  type BundleFiles,
  type Loose,
} from "../../support/tamper.ts";

const files: BundleFiles = sampleBundle({ report: true });
const load = (from: BundleFiles): Promise<unknown> => loadBundle(memorySource(from));

test("the untouched bundle loads", async () => {
  await expect(load(files)).resolves.toBeDefined();
  await expect(load(withManifest(files, () => undefined))).resolves.toBeDefined();
  await expect(load(withTensors(files, (tensors) => tensors))).resolves.toBeDefined();
  await expect(load(withAnchors(files, (lines) => lines))).resolves.toBeDefined();
});

describe("damaged bytes", () => {
  const positions = (name: BundleFileName): number[] => {
    const { length } = files.get(name)!;
    return [0, 7, 8, 100, Math.floor(length / 2), length - 9, length - 1];
  };

  test.each(positions("parameters.safetensors"))("a flipped bit in parameters.safetensors, byte %i", async (at) => {
    const name = "parameters.safetensors";
    const error = await rejection(load(withFile(files, name, flipped(files.get(name)!, at))));
    expectRefusal(error, "bundle_corrupt", "memory: parameters.safetensors is damaged");
    expect(error.message).toContain("SHA-256");
  });

  test.each(positions("anchors.jsonl"))("a flipped bit in anchors.jsonl, byte %i", async (at) => {
    const error = await rejection(load(withFile(files, "anchors.jsonl", flipped(files.get("anchors.jsonl")!, at))));
    expectRefusal(error, "bundle_corrupt", "memory: anchors.jsonl is damaged");
  });

  test("a flipped bit in the manifest: another bundle, by its digest", async () => {
    const name = "manifest.json";
    const digest = `sha256:${sha256Hex(files.get(name)!)}`;
    await expect(loadBundle(memorySource(files), { digest })).resolves.toBeDefined();
    for (const at of [0, 30, 500, files.get(name)!.length - 1]) {
      const source = memorySource(withFile(files, name, flipped(files.get(name)!, at)));
      expectRefusal(await rejection(loadBundle(source, { digest })), "digest_mismatch", `expected ${digest}`);
    }
  });

  test.each(["items.jsonl", "report.html"] as const)(
    "%s is no part of an estimate: its damage doesn't matter",
    async (name) => {
      const damaged = flipped(files.get(name)!, 5);
      await expect(load(withFile(files, name, damaged))).resolves.toBeDefined();
      // And whoever reads it can tell.
      const { sha256 } = parseManifest(files.get("manifest.json")!).files.find((file) => file.name === name)!;
      expect(sha256Hex(files.get(name)!)).toBe(sha256);
      expect(sha256Hex(damaged)).not.toBe(sha256);
    },
  );

  test.each(["parameters.safetensors", "anchors.jsonl"] as const)("%s cut short, at any length", async (name) => {
    const whole = files.get(name)!;
    for (const length of [0, 1, 8, 1000, whole.length - 1])
      expectRefusal(await rejection(load(withFile(files, name, whole.slice(0, length)))), "bundle_corrupt", name);
  });

  test.each(["parameters.safetensors", "anchors.jsonl"] as const)("%s missing", async (name) => {
    const rest = new Map([...files].filter(([other]) => other !== name));
    expectRefusal(await rejection(load(rest)), "bundle_corrupt", `memory: ${name} is missing`);
  });

  test("no manifest is no bundle", async () => {
    expectRefusal(await rejection(load(new Map())), "not_found", "no manifest.json");
  });

  test("bytes after the end are damage", async () => {
    const whole = files.get("anchors.jsonl")!;
    const longer = new Uint8Array(whole.length + 10);
    longer.set(whole);
    const error = await rejection(load(withFile(files, "anchors.jsonl", longer)));
    expectRefusal(error, "bundle_corrupt", `anchors.jsonl is damaged: it has ${longer.length} bytes`);
  });
});

describe("formats", () => {
  const withFormat = (version: unknown): BundleFiles =>
    withManifest(files, (manifest: Loose) => {
      manifest.formatVersion = version;
    });

  test.each(["2.0", "2.7", "10.0"])("major %s is refused by name", async (version) => {
    const error = await rejection(load(withFormat(version)));
    expectRefusal(error, "bundle_format_unsupported", `format ${version}`);
    expect(error.message).toContain("update anchoreval");
  });

  test("a newer major is named even where nothing else can be read", async () => {
    const bytes = new TextEncoder().encode('{"formatVersion":"3.1","content":[]}');
    expectRefusal(await rejection(load(withFile(files, "manifest.json", bytes))), "bundle_format_unsupported", "3.1");
  });

  test("a newer minor with fields that this reader doesn't know is read", async () => {
    const newer = withManifest(withFormat("1.99"), (manifest: Loose) => {
      manifest.unheardOf = { deep: [1, 2, 3] };
      manifest.banks[0].shape = "banana";
      manifest.banks[0].prior.kurtosis = 3;
      manifest.scenarios[0].metric = "exact";
      manifest.forms[0].colour = null;
      manifest.forms[0].scenarios.alpha.extra = 1;
      manifest.files[0].compressed = false;
      manifest.files[0].segments[0].codec = "raw";
      manifest.sources.continent = "Europe";
    });
    const fields = withAnchors(newer, (lines) => lines.map((line) => withFields(line, { difficulty: 0.3 })));
    const bundle = await loadBundle(memorySource(fields));
    expect(bundle.manifest.formatVersion).toBe("1.99");
    expect(bundle.manifest).not.toHaveProperty("unheardOf");
    expect([...bundle.scenarios.get("alpha")!.anchors.values()][0]).not.toHaveProperty("difficulty");
  });

  test.each([["1"], ["one.two"], [""], [1], [null], [undefined]])("%j is no format version", async (version) => {
    expectRefusal(await rejection(load(withFormat(version))), "bundle_invalid", "formatVersion");
  });

  test.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["no UTF-8", new Uint8Array([0x7b, 0xff, 0x7d])],
    ["a page of HTML", "<!doctype html>"],
  ])("a manifest that is %s", async (_, content) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    expectRefusal(await rejection(load(withFile(files, "manifest.json", bytes))), "bundle_invalid", "not JSON");
  });

  test.each(["null", "[]", "7", '"text"'])("a manifest that is %s", async (json) => {
    const bytes = new TextEncoder().encode(json);
    expectRefusal(
      await rejection(load(withFile(files, "manifest.json", bytes))),
      "bundle_invalid",
      "expected an object",
    );
  });
});

/** As `fit --base` writes it. */
const BASE = {
  benchmark: "sample",
  version: "0.9.0",
  digest: `sha256:${"ab".repeat(32)}`,
  items: { standing: 90, placed: 10 },
  rerun: 3,
  drawn: 0.9,
  texts: false,
  anchors: { 8: { kept: 15, of: 16 } },
  bridge: { overall: { models: 30, slope: 1, intercept: 0, error: 0.01 }, scenarios: { alpha: null } },
};

test.each([
  ["brackets", "{},", "or has more brackets than text"],
  ["wrong entries", '{"name":"no file"},', "breaks the bundle format"],
])("a manifest of millions of %s isn't taken apart", (_, entry, words) => {
  const text = `{"files":[${entry.repeat((1 << 22) / entry.length)}{}]}`;
  try {
    parseManifest(new TextEncoder().encode(text));
    expect.unreachable();
  } catch (error) {
    expectRefusal(error as never, "bundle_invalid", words);
    expect((error as AnchorEvalError).issues.length).toBeLessThanOrEqual(1000);
  }
});

test("a manifest that names the version it stands on is read", async () => {
  const loaded = await loadBundle(memorySource(withManifest(files, (m: Loose) => (m.base = BASE))));
  expect(partOf(loaded.manifest, basePart)).toEqual(BASE);
});

describe("a manifest with a wrong value", () => {
  const measured = (manifest: Loose): Loose => manifest.forms[0].scenarios.alpha.measured.interpolation;

  test.each<[string, (manifest: Loose) => void, string, string]>([
    ["no benchmark", (m) => delete m.benchmark, "benchmark", "is missing"],
    ["a benchmark with a slash", (m) => (m.benchmark = "a/b"), "benchmark", "doesn't match"],
    ["a benchmark that climbs", (m) => (m.benchmark = ".."), "benchmark", "doesn't match"],
    ["a version with a build", (m) => (m.version = "1.0.0+b"), "version", "doesn't match"],
    ["a version that must be a number", (m) => (m.version = 1), "version", "expected text, got 1"],
    ["a time without a zone", (m) => (m.created = "2026-01-01T00:00:00"), "created", "doesn't match"],
    ["another parameterisation", (m) => (m.parameterization = "a*(theta-b)"), "parameterization", "expected logit P"],
    ["an unknown weighting", (m) => (m.weighting = "tokens"), "weighting", "expected subscenarios or items"],
    ["no bank", (m) => (m.banks = []), "banks", "at least 1"],
    ["banks that are an object", (m) => (m.banks = {}), "banks", "expected an array"],
    [
      "an IRT model of another kind",
      (m) => (m.banks[0].irtModel = "grm"),
      "banks.0.irtModel",
      "expected 1pl or 2pl or 3pl or 4pl",
    ],
    ["no dimension", (m) => (m.banks[0].dims = 0), "banks.0.dims", "0 is not in [1"],
    ["half a dimension", (m) => (m.banks[0].dims = 1.5), "banks.0.dims", "whole number"],
    ["a prior without scale", (m) => (m.banks[0].prior.scale = 0), "banks.0.prior.scale", "is not in"],
    ["a prior mean that is text", (m) => (m.banks[0].prior.mean[1] = "0"), "banks.0.prior.mean.1", "expected a number"],
    ["a negative weight", (m) => (m.scenarios[0].weight = -1), "scenarios.0.weight", "is not in"],
    ["an empty scenario", (m) => (m.scenarios[0].items = 0), "scenarios.0.items", "is not in"],
    ["an id with a line break", (m) => (m.scenarios[0].id = "a\nb"), "scenarios.0.id", "control characters"],
    ["an id past 512 bytes", (m) => (m.scenarios[0].id = "ü".repeat(300)), "scenarios.0.id", "512 bytes"],
    ["a threshold past 1", (m) => (m.scenarios[0].threshold = 1.2), "scenarios.0.threshold", "not in [0, 1]"],
    ["a form id with a slash", (m) => (m.forms[0].id = "a/b"), "forms.0.id", "doesn't match"],
    ["a form without digest", (m) => delete m.forms[0].digest, "forms.0.digest", "is missing"],
    ["a digest in capitals", (m) => (m.forms[0].digest = "A".repeat(64)), "forms.0.digest", "doesn't match"],
    ["an unknown estimator", (m) => (m.forms[0].estimator = "guess"), "forms.0.estimator", "expected anchor-mean"],
    ["an unknown interval", (m) => (m.forms[0].interval = "posterior"), "forms.0.interval", "expected design"],
    ["λ past 1", (m) => (m.forms[0].scenarios.alpha.lambda = 1.1), "forms.0.scenarios.alpha.lambda", "not in [0, 1]"],
    ["whole as a number", (m) => (m.forms[0].scenarios.alpha.whole = 1), "scenarios.alpha.whole", "true or false"],
    ["a negative error", (m) => (measured(m).randomMae = -1), "interpolation.randomMae", "is not in"],
    ["a negative standard error", (m) => (measured(m).coverageSe = -0.1), "interpolation.coverageSe", "is not in"],
    ["coverage past 1", (m) => (measured(m).coverage95 = 95), "interpolation.coverage95", "not in [0, 1]"],
    ["too few error levels", (m) => (measured(m).absoluteError = [0.1]), "absoluteError", "at least 5"],
    ["an estimator unmeasured", (m) => delete measured(m).estimators["p-irt"], "estimators.p-irt", "is missing"],
    ["a protocol that nests", (m) => (m.protocol.filter = { a: 1 }), "protocol.filter", "expected text"],
    ["a model's name that is none", (m) => (m.sources.names = [7]), "sources.names.0", "expected text"],
    ["a base without digest", (m) => (m.base = { ...BASE, digest: "ab" }), "base.digest", "doesn't match"],
    ["more drawn than all", (m) => (m.base = { ...BASE, drawn: 1.1 }), "base.drawn", "not in [0, 1]"],
    [
      "a bridge without slope",
      (m) => (m.base = { ...BASE, bridge: { overall: { models: 9, intercept: 0, error: 0 }, scenarios: {} } }),
      "base.bridge.overall.slope",
      "is missing",
    ],
    ["predictions of no models", (m) => (m.unasked = { ...SAMPLE_UNASKED, models: 0 }), "unasked.models", "not in [1"],
    ["no files", (m) => (m.files = []), "files", "at least 1"],
    ["a file that climbs out", (m) => (m.files[0].name = "../secrets"), "files.0.name", "expected manifest.json or"],
    ["a file of no format", (m) => (m.files[0].name = "model.pkl"), "files.0.name", "expected manifest.json or"],
    ["negative bytes", (m) => (m.files[0].bytes = -1), "files.0.bytes", "is not in"],
    ["a digest cut short", (m) => (m.files[0].sha256 = "ab"), "files.0.sha256", "doesn't match"],
    ["a segment without end", (m) => delete m.files[0].segments[0].end, "segments.0.end", "is missing"],
  ])("%s", async (_, edit, path, fragment) => {
    const error = await rejection(load(withManifest(files, edit)));
    expectRefusal(error, "bundle_invalid", "manifest.json breaks the bundle format");
    expect(error.message).toContain(path);
    expect(error.message).toContain(fragment);
    expect(error.issues[0]!.path.join(".")).toContain(path);
  });
});

describe("a manifest that contradicts itself", () => {
  test.each<[string, (manifest: Loose) => void, string]>([
    ["a scenario twice", (m) => (m.scenarios[1].id = "alpha"), "alpha stands twice"],
    ["a form twice", (m) => (m.forms[1].id = "8"), "8 stands twice"],
    ["a bank twice", (m) => (m.banks[1].id = "alpha"), "alpha stands twice"],
    ["a file twice", (m) => (m.files[2].name = "anchors.jsonl"), "anchors.jsonl stands twice"],
    ["a scenario in no bank", (m) => m.banks.pop(), "every scenario must be in one bank"],
    ["a scenario in two banks", (m) => m.banks[0].scenarios.push("beta/γ"), "every scenario must be in one bank"],
    [
      "a bank of several scenarios",
      (m) => (m.banks = [{ ...m.banks[0], id: "all", scenarios: ["alpha", "beta/γ"] }]),
      "one ability for several scenarios (alpha, beta/γ) is no longer read: fit the bundle again",
    ],
    ["a bank of a scenario that isn't there", (m) => (m.banks[0].scenarios = ["gamma"]), "every scenario must be"],
    ["a prior of other dimensions", (m) => m.banks[0].prior.mean.push(0), "2 means and 4 covariances"],
    ["a covariance of other dimensions", (m) => (m.banks[0].prior.covariance = [1]), "2 means and 4 covariances"],
    ["a prior that is none", (m) => (m.banks[0].prior.covariance = [1, 2, 2, 1]), "positive definite"],
    ["a mean too few", (m) => (m.unasked = { ...SAMPLE_UNASKED, mean: [0] }), "as many means and 4 covariances"],
    [
      "scenarios that go together in no way",
      (m) => (m.unasked = { ...SAMPLE_UNASKED, covariance: [1, 2, 2, 1] }),
      "positive definite",
    ],
    [
      "predictions for another form",
      (m) => (m.unasked = { ...SAMPLE_UNASKED, forms: { 9: {} } }),
      "there is no form 9, or it has other scenarios",
    ],
    [
      "predictions of another scenario",
      (m) => (m.unasked = { ...SAMPLE_UNASKED, forms: { 8: { gamma: SAMPLE_UNASKED.forms["20"]!.alpha } } }),
      "there is no form 8, or it has other scenarios",
    ],
    ["weights that are all 0", (m) => m.scenarios.forEach((s: Loose) => (s.weight = 0)), "a weight above 0"],
    ["subscenarios of another size", (m) => (m.scenarios[1].subscenarios[0].items = 3), "subscenarios have 43 items"],
    ["a score map that falls", (m) => (m.scenarios[0].scoreMap = { x: [0, 1], y: [1, 0] }), "a score map ascends"],
    [
      "a score map with a step in x",
      (m) => (m.scenarios[0].scoreMap = { x: [0, 0], y: [0, 1] }),
      "a score map ascends",
    ],
    ["a score map of two lengths", (m) => (m.scenarios[0].scoreMap = { x: [0, 1], y: [0] }), "as many y as x"],
    ["a form without a scenario", (m) => delete m.forms[0].scenarios.alpha, "a form covers every scenario"],
    ["a form with another scenario", (m) => (m.forms[0].scenarios.gamma = m.forms[0].scenarios.alpha), "covers every"],
    ["more anchors than items", (m) => (m.forms[0].scenarios.alpha.items = 41), "41 anchors of 40 items"],
    ["whole with some of the items", (m) => (m.forms[0].scenarios.alpha.whole = true), "whole is true, with 8 anchors"],
    ["a default form that isn't there", (m) => (m.defaultForm = "100"), "there is no form 100"],
    ["a form without items of none", (m) => (m.forms[1].disjointFrom = "100"), "there is no other form 100"],
    ["a form without its own items", (m) => (m.forms[1].disjointFrom = "20"), "there is no other form 20"],
    ["no items.jsonl", (m) => m.files.splice(2, 1), "items.jsonl is missing"],
    ["a hole between segments", (m) => (m.files[1].segments[1].begin += 1), "without holes"],
    ["segments that overlap", (m) => (m.files[1].segments[1].begin -= 1), "without holes"],
    ["segments short of the file", (m) => (m.files[1].bytes += 1), "segments cover the file"],
    ["a segment that runs backwards", (m) => (m.files[1].segments[0].end = -0), "without holes"],
    ["a segment of no scenario", (m) => (m.files[1].segments[0].scenario = "gamma"), "there is no scenario gamma"],
    ["two segments of one scenario", (m) => (m.files[1].segments[1].scenario = "alpha"), "alpha has two segments"],
    ["parameters without a head", (m) => (m.files[0].segments[0].scenario = "alpha"), "what all scenarios need"],
    ["parameters without segments", (m) => delete m.files[0].segments, "what all scenarios need"],
  ])("%s", async (_, edit, fragment) => {
    const error = await rejection(load(withManifest(files, edit)));
    expect(error.code).toBe("bundle_invalid");
    expect(error.issues.map(({ message }) => message).join("\n")).toContain(fragment);
  });

  test("a form with items of the form that it has none of", async () => {
    const nested = withManifest(files, (m) => (m.forms[1].disjointFrom = "8"));
    expectRefusal(await rejection(load(nested)), "bundle_invalid", "forms 20 and 8 both ask alpha/");
  });

  test("a form whose digest isn't that of its anchors: no array of answers could be read by it", async () => {
    const wrong = withManifest(files, (m) => (m.forms[1].digest = "ab".repeat(32)));
    expectRefusal(await rejection(load(wrong)), "bundle_invalid", "the digest of form 20 in the manifest");
  });

  test("anchors without segments", async () => {
    const error = await rejection(load(withManifest(files, (m: Loose) => delete m.files[1].segments)));
    expectRefusal(error, "bundle_invalid", "anchors.jsonl has no segment for alpha, beta/γ");
  });

  test("a segment left out", async () => {
    const error = await rejection(
      load(
        withManifest(files, (m: Loose) => {
          const [first, second] = m.files[1].segments;
          m.files[1].segments = [{ ...first, end: second.end }];
        }),
      ),
    );
    expectRefusal(error, "bundle_invalid", "anchors.jsonl has no segment for beta/γ");
  });

  test("every contradiction is listed, and the message says how many", async () => {
    const error = await rejection(
      load(
        withManifest(files, (m: Loose) => {
          m.defaultForm = "100";
          m.scenarios[1].subscenarios[0].items = 3;
        }),
      ),
    );
    expect(error.issues).toHaveLength(2);
    expect(error.message).toContain("(and 1 more)");
  });

  test("sizes past all room are refused before anything is read, not as a crash", async () => {
    const huge = withManifest(files, (m: Loose) => {
      m.files[0].bytes = 9e15;
      m.files[0].segments.at(-1).end = 9e15;
    });
    expectRefusal(await rejection(load(huge)), "unsupported", "load fewer scenarios");
  });
});

describe("tensors", () => {
  const change = (name: string, edit: (data: Float32Array | Float64Array | Uint32Array) => void): BundleFiles =>
    withTensor(files, name, (tensor) => {
      const data = tensor.data.slice();
      edit(data);
      return { ...tensor, data };
    });

  test.each<[string, () => BundleFiles, string]>([
    ...["scenario.0.b", "scenario.1.source_scores", "scenario.0.form.8.items", "scenario.1.form.20.mass"].map(
      (name): [string, () => BundleFiles, string] => [
        `${name} missing`,
        () => withTensors(files, (tensors) => tensors.filter((tensor) => tensor.name !== name)),
        `tensor ${name} is missing`,
      ],
    ),
    [
      "discriminations in float64",
      () => withTensor(files, "scenario.0.b", (t) => ({ ...t, data: Float64Array.from(t.data) })),
      "tensor scenario.0.b has the type F64",
    ],
    [
      "item indices in float32",
      () => withTensor(files, "scenario.0.form.8.items", (t) => ({ ...t, data: Float32Array.from(t.data) })),
      "tensor scenario.0.form.8.items has the type F32",
    ],
    [
      "masses in float32",
      () => withTensor(files, "scenario.0.form.8.mass", (t) => ({ ...t, data: Float32Array.from(t.data) })),
      "tensor scenario.0.form.8.mass has the type F32",
    ],
    [
      "discriminations dimension-major",
      () => withTensor(files, "scenario.0.a", (t) => ({ ...t, shape: [2, 40] })),
      "tensor scenario.0.a has the shape 2×40, expected 40×2",
    ],
    [
      "an item too few",
      () => withTensor(files, "scenario.0.b", (t) => ({ ...t, shape: [39], data: t.data.slice(1) })),
      "tensor scenario.0.b has the shape 39, expected 40",
    ],
    [
      "an anchor too many",
      () =>
        withTensor(files, "scenario.0.form.8.mass", (t) => ({ ...t, shape: [9], data: Float64Array.of(...t.data, 1) })),
      "tensor scenario.0.form.8.mass has the shape 9, expected 8",
    ],
    [
      "source scores in two dimensions",
      () => withTensor(files, "scenario.0.source_scores", (t) => ({ ...t, shape: [5, 10] })),
      "tensor scenario.0.source_scores has the shape 5×10",
    ],
    [
      "a discrimination that is no number's size",
      () => change("scenario.0.a", (data) => (data[3] = 1e38)),
      "at most ±1000",
    ],
    ["an intercept beyond certainty", () => change("scenario.1.b", (data) => (data[0] = -1001)), "holds -1001 at 0"],
    [
      "a probability next to none",
      () => change("scenario.0.form.8.inclusion", (data) => (data[0] = 1e-300)),
      "out of range",
    ],
    ["a noise next to none", () => change("scenario.0.factors.noise", (data) => (data[1] = 1e-30)), "isn't positive"],
    ["NaN among discriminations", () => change("scenario.0.a", (data) => (data[3] = NaN)), "not a number"],
    ["∞ among intercepts", () => change("scenario.1.b", (data) => (data[0] = Infinity)), "not a number"],
    ["NaN among masses", () => change("scenario.0.form.8.mass", (data) => (data[0] = NaN)), "not a number"],
    ["a mass of 0", () => change("scenario.0.form.8.mass", (data) => (data[0] = 0)), "out of range in alpha"],
    ["a negative mass", () => change("scenario.0.form.8.mass", (data) => (data[0] = -1)), "out of range in alpha"],
    ["an inclusion of 0", () => change("scenario.0.form.8.inclusion", (data) => (data[0] = 0)), "out of range"],
    ["an inclusion past 1", () => change("scenario.0.form.8.inclusion", (data) => (data[0] = 1.01)), "out of range"],
    ["certain anchors of some items", () => change("scenario.0.form.8.inclusion", (data) => data.fill(1)), "certainty"],
    ["an item twice", () => change("scenario.0.form.8.items", (data) => (data[1] = data[0]!)), "of alpha twice"],
    ["an item past the scenario", () => change("scenario.0.form.8.items", (data) => (data[1] = 40)), "lacks item 40"],
    ["a factor's noise of 0", () => change("scenario.0.factors.noise", (data) => (data[2] = 0)), "noise that isn't"],
    [
      "an answer factor's noise of 0",
      () => change("scenario.0.answer_factors.noise", (data) => (data[2] = 0)),
      "noise that isn't",
    ],
    ["NaN among loadings", () => change("scenario.1.factors.loadings", (data) => (data[2] = NaN)), "not a number"],
    [
      "factors of an anchor too few",
      () => withTensor(files, "scenario.0.factors.mean", (t) => ({ ...t, shape: [19], data: t.data.slice(1) })),
      "tensor scenario.0.factors.mean has the shape 19, expected 20",
    ],
    ["source scores that fall", () => change("scenario.0.source_scores", (data) => data.reverse()), "don't ascend"],
    ["a source score past 1", () => change("scenario.0.source_scores", (data) => (data[49] = 1.5)), "don't ascend"],
    ["a negative source score", () => change("scenario.0.source_scores", (data) => (data[0] = -0.5)), "don't ascend"],
    [
      "a lower asymptote past the upper",
      () =>
        withTensors(files, (tensors) => [
          ...tensors.filter(
            ({ name }) => !name.startsWith("scenario.1.") || !/[.](a|b|(answer_)?factors[.](?!total).*)$/.test(name),
          ),
          { name: "scenario.0.lower", shape: [40], data: new Float32Array(40).fill(1) },
          ...tensors.filter(({ name }) => /^scenario[.]1[.](a|b|(answer_)?factors[.](?!total).*)$/.test(name)),
        ]),
      "the asymptotes of item 0 of alpha",
    ],
  ])("%s", async (_, tamper, fragment) => {
    expectRefusal(await rejection(load(tamper())), "bundle_invalid", fragment);
  });
});

describe("anchors", () => {
  const first = (edit: (line: string) => string): BundleFiles =>
    withAnchors(files, (lines, scenario) =>
      lines.map((line, k) => (scenario === "alpha" && k === 0 ? edit(line) : line)),
    );

  test.each<[string, (line: string) => string, string]>([
    ["a line that is no JSON", () => "{", "line 1 is not JSON"],
    ["a line that is no object", () => "7", "line 1: expected an object"],
    ["no id", (line) => withFields(line, { item_id: undefined }), "line 1.item_id: item_id is missing"],
    ["an empty id", (line) => withFields(line, { item_id: "" }), "must not be empty"],
    ["an id not in NFC", (line) => withFields(line, { item_id: "cafe\u0301" }), "NFC"],
    ["a negative index", (line) => withFields(line, { index: -1 }), "line 1.index: -1 is not in"],
    ["an index past the scenario", (line) => withFields(line, { index: 40 }), "an anchor that isn't in alpha"],
    ["another scenario", (line) => withFields(line, { scenario: "beta/γ" }), "an anchor that isn't in alpha"],
    ["forms as text", (line) => withFields(line, { forms: "8" }), "line 1.forms: expected an array"],
    ["a hash that is none", (line) => withFields(line, { hash: "abc" }), "line 1.hash"],
    ["a doc_id that nests", (line) => withFields(line, { doc_id: {} }), "line 1.doc_id"],
    ["an anchor left out of its form", (line) => withFields(line, { forms: [] }), "lists 7 anchors of alpha in form 8"],
  ])("%s", async (_, edit, fragment) => {
    expectRefusal(await rejection(load(first(edit))), "bundle_invalid", fragment);
  });

  test("a record of another item than the form asks", async () => {
    const asked = new Set<number>();
    withAnchors(files, (lines, scenario) => {
      if (scenario === "alpha") for (const line of lines) asked.add((JSON.parse(line) as { index: number }).index);
      return lines;
    });
    const free = Array.from({ length: 40 }, (_, i) => i).find((i) => !asked.has(i))!;
    const error = await rejection(load(first((line) => withFields(line, { index: free }))));
    expectRefusal(error, "bundle_invalid", "anchors.jsonl lacks item");
  });

  test("an anchor twice", async () => {
    const twice = withAnchors(files, (lines) => [...lines, lines[0]!]);
    expectRefusal(await rejection(load(twice)), "bundle_invalid", "twice");
  });

  test("two anchors of one id", async () => {
    const same = withAnchors(files, (lines, scenario) =>
      lines.map((line) => (scenario === "alpha" ? withFields(line, { item_id: "same" }) : line)),
    );
    expectRefusal(await rejection(load(same)), "bundle_invalid", "names an anchor of alpha twice");
  });

  test("one id in two scenarios: answers by id could not tell them apart", async () => {
    const same = withAnchors(files, (lines) =>
      lines.map((line, k) => (k === 0 ? withFields(line, { item_id: "x" }) : line)),
    );
    expectRefusal(await rejection(load(same)), "bundle_invalid", "names x in alpha and in beta/γ");
  });
});
