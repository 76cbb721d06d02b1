import { encodeManifest } from "anchoreval/internal/core/bundle/digest";
import { mkdirSync, readFileSync } from "node:fs";
import type { AnchorEvalErrorCode, Issue } from "anchoreval";
import { FORMAT_VERSION } from "anchoreval/internal/core/bundle/names";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { documentsOf, type LoggedRun, writeLogs } from "../../support/lm-eval-logs.ts";
import { lastGiven, listing, runProgram } from "../../support/run-command.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const out = folder.path("out");

/** Six models on two scenarios. */
const ROWS = ["model,x/1,x/2,y/1,y/2", "a,1,0,1,0", "b,0,1,1,0", "c,1,1,0,1", "d,0,0,1,1", "e,1,0,0,0", "f,0,1,0,1"];
const csv = (changed: Readonly<Record<number, string>> = {}): string =>
  ROWS.map((row, index) => `${changed[index + 1] ?? row}\n`).join("");
const ITEMS = ["x/1", "x/2", "y/1", "y/2"].map((item_id) => ({ item_id, scenario: item_id[0] }));
const lines = (...objects: readonly object[]): string =>
  objects.map((object) => `${JSON.stringify(object)}\n`).join("");

const good = folder.write("good.csv", csv());
const items = folder.write("items.jsonl", lines(...ITEMS));

interface Case {
  readonly argv: readonly string[];
  readonly code?: AnchorEvalErrorCode;
  /** @default 2 */
  readonly exit?: number;
  /** The whole message; a part of it where it comes from elsewhere. */
  readonly message: string | RegExp;
  readonly path?: Issue["path"];
  readonly rule?: string;
}

/** Asserts exit code, code, message and, where it is about a file, place and rule; and that nothing at all was written. */
async function refuses({ argv, code = "invalid_option", exit = 2, message, path, rule }: Case): Promise<void> {
  const before = listing(folder.path(""));
  const expected = typeof message === "string" ? message : (expect.stringMatching(message) as string);
  const json = await runProgram([...argv, "--json"]);
  const { error } = JSON.parse(json.out) as { error: { code: string; message: string; issues: Issue[] } };
  expect({ exit: json.code, code: error.code, message: error.message }).toEqual({ exit, code, message: expected });
  if (path) expect(error.issues[0]!.path).toEqual(path);
  if (rule !== undefined) expect(error.issues[0]!.code).toBe(rule);

  const people = await runProgram(argv);
  expect({ exit: people.code, out: people.out }).toEqual({ exit, out: "" });
  expect(people.err).toContain(`anchoreval: ${error.message} [${code}]\n`);
  expect(listing(folder.path(""))).toEqual(before);
}

/** Options that stand for the command's own where they are given: the last one counts. */
const fit = (...more: readonly string[]): string[] =>
  lastGiven([
    ...["fit", "--responses", good, "--items", items, "--name", "demo@1.0.0", "--out", out],
    ...(more.some((word) => word === "--anchors" || word === "--total") ? [] : ["--anchors", "2"]),
    ...["--provider", "typescript", ...more],
  ]);
const backtest = (...more: readonly string[]): string[] =>
  lastGiven([
    ...["backtest", "--responses", good, "--items", items, "--anchors", "2", "--seeds", "1"],
    ...["--provider", "typescript", ...more],
  ]);

/** What fit and backtest share: options of the responses and of the fit. */
const shared: readonly Case[] = [
  {
    argv: ["--score-range", "1,1"],
    message: "--score-range must be two numbers, the worst score and the best; got 1,1",
  },
  {
    argv: ["--score-range", "0,Infinity"],
    message: "--score-range must be two numbers, the worst score and the best; got 0,Infinity",
  },
  { argv: ["--score-range", "0"], message: "--score-range must be two numbers, WORST,BEST; got 0" },
  { argv: ["--score-range", "0,1,2"], message: "--score-range must be two numbers, WORST,BEST; got 0,1,2" },
  { argv: ["--score-range", "a,b"], message: "--score-range must be a number; got a" },
  { argv: ["--anchors", "0"], message: "--anchors must be a whole number of at least 1; got 0" },
  { argv: ["--anchors", "2,2.5"], message: "--anchors must be a whole number of at least 1; got 2.5" },
  { argv: ["--anchors", "2,"], message: "--anchors must be a whole number of at least 1; got " },
  { argv: ["--anchors", "many"], message: "--anchors must be a whole number of at least 1; got many" },
  {
    argv: ["--set", "selection=best"],
    message:
      "--set selection must be one of stratified, random, screened, greedy-variance, essence, fisher-information, sublime, irt-kmeans, correctness-kmeans; got best",
  },
  { argv: ["--set", "dims=0"], message: "--set dims must be a whole number from 1 to 50; got 0" },
  { argv: ["--set", "dims=51"], message: "--set dims must be a whole number from 1 to 50; got 51" },
  { argv: ["--set", "dims=Auto"], message: "--set dims must be a whole number from 1 to 50; got Auto" },
  { argv: ["--set", "irt-model=grm"], message: "--set irt-model must be one of 1pl, 2pl, 3pl, 4pl; got grm" },
  {
    argv: ["--set", "irt-model=3pl", "--set", "dims=2"],
    message: "--set estimation=marginal has one dimension, got dims=2",
  },
  {
    argv: ["--set", "irt-model=1pl", "--set", "estimation=penalised"],
    message: "--set irt-model=1pl is estimated by estimation=marginal alone",
  },
  { argv: ["--set", "estimation=mcmc"], message: "--set estimation must be one of penalised, marginal; got mcmc" },
  { argv: ["--set", "shrinkage=auto"], message: "--set shrinkage must be a number from 0.01 to 10; got auto" },
  { argv: ["--set", "shrinkage=0"], message: "--set shrinkage must be a number from 0.01 to 10; got 0" },
  { argv: ["--set", "prior-scale=0"], message: "--set prior-scale must be a number from 0.1 to 100; got 0" },
  { argv: ["--set", "prior-scale=NaN"], message: "--set prior-scale must be a number from 0.1 to 100; got NaN" },
  { argv: ["--set", "lambda=0.5"], message: "--set lambda must be one of learned, reference; got 0.5" },
  { argv: ["--set", "weighting=models"], message: "--set weighting must be one of subscenarios, items; got models" },
  { argv: ["--provider", "gpu"], message: "--provider must be one of auto, cuda, webgpu, cpu, typescript; got gpu" },
  { argv: ["--seed", "1.5"], message: "--seed must be a whole number of at least 0; got 1.5" },
  { argv: ["--seed=-1"], message: "--seed must be a whole number of at least 0; got -1" },
  {
    argv: ["--seed", "9007199254740993"],
    message: "--seed must be a whole number of at least 0; got 9007199254740993",
  },
  { argv: ["--set", "separate=false"], message: "--set separate must be one of true; got false" },
  { argv: ["--set", "dims"], message: "--set takes NAME=VALUE, such as dims=2; got dims" },
  {
    argv: ["--set", "weights=items"],
    message:
      /^--set: there is no setting weights \(did you mean weighting\?\): there are weighting, selection, .*, separate$/,
  },
  { argv: ["--set", "dims=1", "--set", "weighting=items", "--set=dims=2"], message: "--set dims is given twice, 1 and 2: it takes one value" }, // prettier-ignore
  {
    argv: ["--weighting", "items"],
    message: /^unknown option --weighting \(did you mean --set weighting=…\?\); see anchoreval \w+ --help$/,
  },
  { argv: ["--quiet=yes"], message: /^--quiet takes no value; see anchoreval \w+ --help$/ },
  { argv: ["--anker", "5"], message: /^unknown option --anker; see anchoreval \w+ --help$/ },
  {
    argv: ["--anchor", "5"],
    message: /^unknown option --anchor \(did you mean --anchors\?\); see anchoreval \w+ --help$/,
  },
  { argv: ["more"], message: /^unexpected argument more: \w+ takes options only; see anchoreval \w+ --help$/ },
  { argv: ["--seed", "--set"], message: "--seed needs a value; got --set" },
  {
    argv: ["--responses", folder.path("none.csv")],
    code: "not_found",
    message: `${folder.path("none.csv")}: there is no such file`,
  },
  {
    argv: ["--responses", folder.path("")],
    code: "invalid_data",
    message: `${folder.path("")}: this is a folder, not a file`,
  },
  {
    argv: ["--items", folder.path("none.jsonl")],
    code: "not_found",
    message: `${folder.path("none.jsonl")}: there is no such file`,
  },
];

/** Files that break a rule; R and I stand for their paths. */
const files: readonly {
  readonly name: string;
  readonly responses?: string;
  readonly items?: string;
  readonly message: string;
  readonly path: Issue["path"];
  readonly rule: string;
}[] = [
  {
    name: "a model twice",
    responses: csv({ 5: "b,0,0,1,1" }),
    message: 'R: row 5, column "model": model "b" is there twice, first in row 3',
    path: ["R", 5, "model"],
    rule: "duplicate",
  },
  {
    name: "an item twice",
    responses: csv({ 1: "model,x/1,x/1,y/1,y/2" }),
    message: 'R: row 1, column 3: item "x/1" is there twice, first in column 2',
    path: ["R", 1, 3],
    rule: "duplicate",
  },
  {
    name: "a score above 1",
    responses: csv({ 3: "b,0,1,85,0" }),
    message:
      'R: row 3, column "y/1": a score must be in [0,1], got 85; for other bounded scores give --score-range worst,best (here perhaps 0,100)',
    path: ["R", 3, "y/1"],
    rule: "out_of_range",
  },
  {
    name: "Infinity",
    responses: csv({ 4: "c,1,Infinity,0,1" }),
    message: 'R: row 4, column "x/2": a score must be a number, got "Infinity"; an empty cell means no score',
    path: ["R", 4, "x/2"],
    rule: "not_a_number",
  },
  {
    name: "a ragged row",
    responses: csv({ 6: "e,1,0,0" }),
    message: "R: row 6: the row has 4 cells, the header has 5",
    path: ["R", 6],
    rule: "ragged",
  },
  {
    name: "four models",
    responses: csv().split("\n").slice(0, 5).join("\n"),
    message: "R: 4 models are too few: at least 5 are needed",
    path: ["R"],
    rule: "too_few_models",
  },
  {
    name: "an item without a scenario",
    items: lines({ item_id: "x/1" }, ...ITEMS.slice(1)),
    message: 'I: line 1, field "scenario": the item has no scenario',
    path: ["I", 1, "scenario"],
    rule: "missing_field",
  },
  {
    name: "an item that is not described",
    items: lines(...ITEMS.slice(1)),
    message: 'R: 1 item of the responses is not described in I: "x/1"',
    path: ["R", "x/1"],
    rule: "undescribed_item",
  },
  {
    name: "an empty file",
    responses: "",
    message: "R: the file is empty",
    path: ["R"],
    rule: "empty",
  },
];

describe.each([
  ["fit", fit],
  ["backtest", backtest],
] as const)("%s", (_, command) => {
  test.each(shared)("$argv", ({ argv, ...expected }) => refuses({ argv: command(...argv), ...expected }));

  test.each(files)("$name", async ({ name, responses = csv(), items: described = lines(...ITEMS), ...expected }) => {
    const R = folder.write(`${name}/r.csv`, responses);
    const I = folder.write(`${name}/items.jsonl`, described);
    const named = (text: string): string => text.replace(/\b[RI]\b/g, (letter) => (letter === "R" ? R : I));
    await refuses({
      argv: command("--responses", R, "--items", I),
      code: "invalid_data",
      message: named(expected.message),
      path: expected.path.map((part) => (part === "R" ? R : part === "I" ? I : part)),
      rule: expected.rule,
    });
  });

  test("an import.json beside the responses that breaks a rule", async () => {
    const R = folder.write("imported/r.csv", csv());
    const file = folder.write("imported/import.json", '{"weighting": "tasks"}');
    await refuses({
      argv: command("--responses", R),
      code: "invalid_data",
      message: `${file}: field "weighting": it must be subscenarios or items, got "tasks"`,
      path: [file, "weighting"],
      rule: "invalid_value",
    });
  });
});

describe("fit", () => {
  test.each<Case>([
    { argv: ["fit"], message: "--responses is needed" },
    { argv: ["fit", "--responses", good], message: "--name is needed" },
    { argv: ["fit", "--responses", good, "--name", "demo@1.0.0"], message: "--out is needed" },
    { argv: fit("--out", ""), message: "--out is needed" },
    { argv: fit("--threads", "0"), message: "--threads must be a whole number from 1 to 256; got 0" },
    {
      argv: fit("--name", "Demo@1.0.0"),
      message:
        '--name must be BENCHMARK@X.Y.Z, the benchmark of a-z, 0-9, ".", "_", "-" (at most 64), the version semver; got Demo@1.0.0',
    },
    { argv: fit("--name", "demo"), message: /^--name must be BENCHMARK@X\.Y\.Z, .*; got demo$/ },
    { argv: fit("--name", "demo@1.0.0+b"), message: /^--name must be BENCHMARK@X\.Y\.Z, .*; got demo@1\.0\.0\+b$/ },
    {
      argv: ["fit", "--responses", good, "--name", "demo@1.0.0", "--out", out, "--provider", "typescript"],
      message: "give --anchors N[,N…] (per scenario), --total N[,N…], or both",
    },
    {
      argv: fit("--second-form"),
      code: "unsupported",
      message:
        "a second form needs anchors that are chosen on purpose and stand for the same share each, as by greedy-variance, not by screened: give another --set selection=NAME or recipe, or leave out --second-form",
    },
    {
      argv: fit("--second-form", "--set", "selection=essence"),
      message:
        "two forms of 2 items without a common one need 4, x has 2: give fewer anchors, or leave out --second-form",
    },
    { argv: fit("--total", "0"), message: "--total must be a whole number of at least 1; got 0" },
    { argv: fit("--total", "1"), message: "--total must be at least one anchor for each of the 2 scenarios; got 1" },
    {
      argv: fit("--created", "yesterday"),
      message: "--created must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z, got yesterday",
    },
    { argv: fit("--out", good), message: /^.*good\.csv can't be written to: .+\(ENOTDIR/ },
    { argv: fit("--out", "/proc/a/b"), message: /^\/proc\/a\/b can't be written to: \/proc.* can't be written to/ },
    { argv: fit("--out", `${good}/deeper`), message: /^.*good\.csv\/deeper can't be written to: .+\(ENOTDIR/ },
    {
      argv: fit("--out", folder.path("")),
      message: /^.* holds other files \(.*\): choose another, or replace it by --force$/,
    },
  ])("$argv", (expected) => refuses(expected));

  test("a scenario that fewer than five models answered", async () => {
    const R = folder.write("sparse/r.csv", csv({ 3: "b,0,1,,", 4: "c,1,1,,", 5: "d,0,0,," }));
    await refuses({
      argv: fit("--responses", R),
      code: "invalid_data",
      message: "only 3 models have answers in y, at least 5 are needed: add models, or leave its items out",
    });
  });
});

describe("backtest", () => {
  const split = ["--save-split", out];
  const listed = (name: string, text: string): string => folder.write(`lists/${name}`, text);

  beforeAll(() => mkdirSync(folder.path("a folder")));

  test.each<Case>([
    { argv: ["backtest"], message: "--responses is needed" },
    {
      argv: backtest("--split", "random"),
      message:
        "--split takes interpolation, extrapolation, family, newest, or a column of --families FILE, which isn't given; got random",
    },
    { argv: backtest(...split, "--seeds", "0"), message: "--seeds must be a whole number from 1 to 1000; got 0" },
    { argv: backtest(...split, "--seeds", "1e9"), message: "--seeds must be a whole number from 1 to 1000; got 1e9" },
    { argv: backtest(...split, "--threads", "0"), message: "--threads must be a whole number from 1 to 256; got 0" },
    {
      argv: backtest(...split, "--scenario", "x", "--scenario", "z"),
      code: "unknown_scenario",
      message: "there is no scenario z: there are x, y",
    },
    {
      argv: backtest(...split, "--split", "extrapolation"),
      code: "invalid_data",
      message:
        "extrapolation leaves 3 source models and 2 targets in x, y: at least 5 and 1 are needed (targets have at least 98 % of the weight observed)",
    },
    {
      argv: backtest("--save-split", folder.path("nowhere/split.json")),
      message: `--save-split ${folder.path("nowhere/split.json")} can't be written: ${folder.path("nowhere")} isn't a folder`,
    },
    {
      argv: backtest("--save-split", folder.path("a folder")),
      message: `--save-split ${folder.path("a folder")} can't be written: it is a folder`,
    },
    {
      argv: backtest(...split, "--targets", folder.path("none.txt")),
      code: "not_found",
      message: `${folder.path("none.txt")} could not be read: there is no such file or folder (ENOENT)`,
    },
    {
      argv: backtest(...split, "--families", folder.path("none.csv")),
      code: "not_found",
      message: `${folder.path("none.csv")} could not be read: there is no such file or folder (ENOENT)`,
    },
  ])("$argv", (expected) => refuses(expected));

  test("targets that the responses don't have, by file and line", async () => {
    const file = listed("targets.txt", "a\n\nnobody\n b \n");
    await refuses({
      argv: backtest(...split, "--targets", file),
      code: "invalid_data",
      message: `${file}: line 3: the responses have no model "nobody"`,
      path: [file, 3],
      rule: "unknown_model",
    });
    const empty = listed("empty.txt", "\n\n");
    await refuses({
      argv: backtest(...split, "--targets", empty),
      code: "invalid_data",
      message: `${empty}: the file names no models`,
      path: [empty],
      rule: "empty",
    });
  });

  test.each([
    ["a line without a family", "a,p\n\nb\n", 3, 'a line must be model,family, got "b"', "wrong_type"],
    ["a family without a name", "a,\n", 1, 'a line must be model,family, got "a,"', "wrong_type"],
    ["a model without a name", "a,p\r\n ,p\r\n", 2, 'a line must be model,family, got ",p"', "wrong_type"],
    ["a model of two families", "a,p\nb,p\na,q\n", 3, 'model "a" is of two families, "p" above', "duplicate"],
  ])("families: %s", async (name, text, row, message, rule) => {
    const file = listed(`${name}.csv`, text);
    await refuses({
      argv: backtest(...split, "--split", "family", "--families", file),
      code: "invalid_data",
      message: `${file}: line ${row}: ${message}`,
      path: [file, row],
      rule,
    });
  });

  test("models without names have no families", async () => {
    const R = folder.write(
      "anonymous/r.csv",
      csv().replace(/^([a-f]),/gm, (_, letter: string) => `${letter.charCodeAt(0)},`),
    );
    await refuses({
      argv: backtest(...split, "--split", "family", "--responses", R),
      code: "invalid_data",
      message: "the models have no names to tell families by: give --families, a file of model,family",
    });
  });
});

describe("publish", () => {
  beforeAll(() => void vi.stubEnv("ANCHOREVAL_TOKEN", "")); // a developer may have one
  const to = folder.path("host");
  const bundle = folder.path("bundle");
  const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  /** The bundle with other bytes in one file. */
  function broken(name: string, file: string, change: (text: string) => string | Uint8Array): string {
    for (const [own, bytes] of sampleBundle())
      folder.write(`${name}/${own}`, own === file ? change(decode(bytes)) : bytes);
    return folder.path(name);
  }

  beforeAll(() => {
    for (const [name, bytes] of sampleBundle()) folder.write(`bundle/${name}`, bytes);
  });

  test.each<Case>([
    { argv: ["publish"], message: "--bundle is needed" },
    { argv: ["publish", "--to", to], message: "--bundle is needed" },
    {
      argv: ["publish", bundle, bundle, "--to", to],
      message: `unexpected argument ${bundle}: publish takes one --bundle DIR; see anchoreval publish --help`,
    },
    { argv: ["publish", bundle], message: "--to is needed" },
    { argv: ["publish", bundle, "--to", ""], message: "--to is needed" },
    {
      argv: ["publish", bundle, "--to", to, "--token", "x"],
      message: "unknown option --token; see anchoreval publish --help",
    },
    {
      argv: ["publish", bundle, "--to", "https://evals.example.com"],
      message:
        "publishing to https://evals.example.com takes a token: set ANCHOREVAL_TOKEN (anchoreval keys token makes one)",
    },
    {
      argv: ["publish", bundle, "--to", "r2://bucket"],
      message:
        "r2://bucket takes R2_ACCOUNT_ID, R2_ACCESS_KEY_ID, R2_SECRET_ACCESS_KEY in the environment (an R2 API token with object read and write)",
    },
    {
      argv: ["publish", bundle, "--to", "R2://bucket/folder"],
      message: "R2://bucket/folder is no bucket: r2://BUCKET, without a folder",
    },
    {
      argv: ["publish", bundle, "--to", "S3://bucket"],
      code: "unsupported",
      message: "S3:// can't be written to: take r2://BUCKET, hf://datasets/ORG/NAME, a folder, or local",
    },
    { argv: ["publish", "sweep", "--to", good], message: `--to ${good} isn't a folder: nothing is published there` },
    { argv: ["publish", "sweep"], message: "--to is needed" },
    {
      argv: ["publish", "sweep", "--to", "https://evals.example.com"],
      code: "unsupported",
      message: "https:// can't be written to: take r2://BUCKET, hf://datasets/ORG/NAME, a folder, or local",
    },
    { argv: ["publish", bundle, "--to", good], message: `--to ${good} can't be made a folder: ${good} is a file` },
    {
      argv: ["publish", bundle, "--to", `${good}/in/it`],
      message: `--to ${good}/in/it can't be made a folder: ${good} is a file`,
    },
    { argv: ["publish", good, "--to", to], message: `${good} is a file: publish takes the folder of a bundle` },
    {
      argv: ["publish", folder.path("nowhere"), "--to", to],
      code: "not_found",
      message: `${folder.path("nowhere")} has no manifest.json: no bundle is there`,
    },
    {
      argv: ["publish", folder.path(""), "--to", to],
      code: "not_found",
      message: `${folder.path("")} has no manifest.json: no bundle is there`,
    },
  ])("$argv", (expected) => refuses(expected));

  test("a bundle that breaks the format", async () => {
    await refuses({
      argv: ["publish", broken("no json", "manifest.json", (text) => text.slice(9)), "--to", to],
      code: "bundle_invalid",
      message: "manifest.json is not JSON in UTF-8, or has more brackets than text",
    });
    await refuses({
      argv: ["publish", broken("cut short", "manifest.json", (text) => text.slice(0, -9)), "--to", to],
      code: "bundle_corrupt",
      message:
        "manifest.json is damaged: its bytes don't have the SHA-256 that it begins with; copy or publish the bundle again",
      path: ["manifest.json"],
    });
    await refuses({
      argv: [
        "publish",
        broken("weighting", "manifest.json", (text) =>
          encodeManifest(JSON.parse(text.replace('"weighting":"subscenarios"', '"weighting":"tasks"')) as object),
        ),
        ...["--to", to],
      ],
      code: "bundle_invalid",
      message: 'manifest.json breaks the bundle format: weighting: expected subscenarios or items, got "tasks"',
      path: ["weighting"],
    });
    await refuses({
      argv: [
        "publish",
        broken("newer", "manifest.json", (text) =>
          encodeManifest({ ...(JSON.parse(text) as object), formatVersion: "2.0" }),
        ),
        ...["--to", to],
      ],
      code: "bundle_format_unsupported",
      message: `this bundle has format 2.0, this reader knows ${FORMAT_VERSION} and older minors: update anchoreval`,
    });
  });

  test.each(["parameters.safetensors", "anchors.jsonl", "items.jsonl"])("%s that was damaged", async (file) => {
    const damaged = broken(`damaged ${file}`, file, () => {
      const bytes = Uint8Array.from(readFileSync(`${bundle}/${file}`));
      bytes[bytes.length - 3]! ^= 1;
      return bytes;
    });
    await refuses({
      argv: ["publish", damaged, "--to", to],
      code: "bundle_corrupt",
      message: new RegExp(file.replace(".", "\\.")),
    });
  });
});

describe("import", () => {
  /** Five models on one task; each has the first few documents right. */
  function logs(name: string, change: (m: number) => Partial<LoggedRun> = () => ({})): string {
    const asked = Array.from({ length: 4 }, (_, i) => ({ item_id: `q${i}` }));
    for (let m = 0; m < 5; m++)
      writeLogs(folder.path(name), {
        model: `Org/m${m}`,
        date: `2026-01-01T00-00-0${m}.000001`,
        tasks: { quiz: { documents: documentsOf(asked, (i) => (i < m ? 1 : 0)) } },
        ...change(m),
      });
    return folder.path(name);
  }
  const from = (...more: readonly string[]): string[] => ["import", "--from", "lm-eval", "--out", out, ...more];
  let runs: string;
  beforeAll(() => void (runs = logs("logs")));
  const given =
    (...more: readonly string[]): (() => string[]) =>
    () =>
      from(...more, runs);

  test.each<Omit<Case, "argv"> & { argv: () => readonly string[]; name: string }>([
    { name: "no harness", argv: () => ["import", "--out", out, runs], message: "--from is needed" },
    {
      name: "another harness",
      argv: () => ["import", "--from", "nowhere", "--out", out, runs],
      message:
        "--from must be one of lm-eval, inspect, helm, lighteval, eee, opencompass, swe-bench, livecodebench, evalplus, bfcl, eval-arena, measurement-db, terminal-bench, table, routerdc; got nowhere",
    },
    { name: "no folder", argv: () => ["import", "--from", "lm-eval", runs], message: "--out is needed" },
    { name: "no logs", argv: () => from(), message: "name the logs: files, or folders of them" },
    {
      name: "--on-duplicate oldest",
      argv: given("--on-duplicate", "oldest"),
      message: "--on-duplicate must be one of newest, mean, error; got oldest",
    },
    {
      name: "--errors zero",
      argv: given("--errors", "zero"),
      message: "--errors must be one of harness, missing, wrong; got zero",
    },
    {
      name: "--score-range 3",
      argv: given("--score-range", "3"),
      message: "--score-range must be two numbers, WORST,BEST; got 3",
    },
    {
      name: "--score-range 1,1",
      argv: given("--score-range", "1,1"),
      message: /^--score-range must be two numbers, the worst score and the best; got 1,1$/,
    },
    { name: "--metric =acc", argv: given("--metric", "=acc"), message: "--metric must be NAME or TASK=NAME; got =acc" },
    {
      name: "two metrics for all",
      argv: given("--metric", "acc", "--metric", "f1"),
      message: "--metric is given twice for all tasks: acc and f1",
    },
    {
      name: "two filters for one task",
      argv: given("--filter", "quiz=none", "--filter", "quiz=strict"),
      message: "--filter is given twice for quiz: none and strict",
    },
    { name: "a metric that the logs don't have", argv: given("--metric", "f1"), message: /f1/ },
    { name: "an unknown option", argv: given("--models", "x"), message: /^unknown option --models/ },
    {
      name: "logs that aren't there",
      argv: () => from(folder.path("no logs")),
      code: "not_found",
      message: `${folder.path("no logs")}: there is no such file or folder`,
    },
    {
      name: "--out that is a file",
      argv: () => ["import", "--from", "lm-eval", "--out", good, runs],
      message: `--out ${good} can't be made a folder: ${good} is a file`,
    },
    {
      name: "--out inside a file",
      argv: () => ["import", "--from", "lm-eval", "--out", `${good}/a/b`, runs],
      message: `--out ${good}/a/b can't be made a folder: ${good} is a file`,
    },
  ])("$name", ({ argv, ...expected }) => refuses({ argv: argv(), ...expected }));

  test("a folder without logs", async () => {
    const empty = folder.path("no samples");
    mkdirSync(empty);
    await refuses({
      argv: from(empty),
      code: "invalid_data",
      message: `${empty}: there is no samples_<task>_<date>.jsonl: lm_eval writes them with --log_samples --output_path FOLDER`,
    });
  });

  test("a malformed line, by file and line", async () => {
    const broken = logs("malformed");
    const file = `${broken}/Org__m3/samples_quiz_2026-01-01T00-00-03.000001.jsonl`;
    folder.write(file.slice(folder.path("").length), `${readFileSync(file, "utf8")}{"doc_id": 4, "acc": 1`);
    await refuses({
      argv: from(broken),
      code: "invalid_data",
      message: `${file}: line 5: the line is not valid JSON`,
      path: [file, 5],
      rule: "malformed_json",
    });
  });

  test("several runs of a model, where that is an error", async () => {
    const twice = logs("twice", (m) => (m === 4 ? { model: "Org/m3" } : {}));
    await refuses({
      argv: from("--on-duplicate", "error", twice),
      code: "invalid_data",
      message: /^Org\/m3 has 2 runs on quiz: .*; --on-duplicate newest or mean says what counts$/,
      rule: "duplicate",
    });
  });

  test("runs that were not made alike", async () => {
    const mixed = logs("mixed", (m) => ({ shots: m === 2 ? 5 : 0 }));
    await refuses({ argv: from(mixed), code: "invalid_data", message: /few-shot/ });
  });
});

describe("simulate", () => {
  const small = ["--models", "10", "--items", "40", "--scenarios", "2"];
  const simulate = (...more: readonly string[]): string[] => lastGiven(["simulate", ...small, "--out", out, ...more]);
  const settings = (name: string, values: unknown): string[] => [
    "--settings",
    folder.write(`${name}.json`, JSON.stringify(values)),
  ];

  test.each<Case>([
    { argv: ["simulate", ...small], message: "--out is needed" },
    { argv: simulate("--models", "4"), message: "--models must be a whole number from 5 to 100000; got 4" },
    { argv: simulate("--models", "ten"), message: "--models must be a whole number from 5 to 100000; got ten" },
    { argv: simulate("--items", "1.5"), message: "--items must be a whole number from 2 to 1000000; got 1.5" },
    {
      argv: simulate(...settings("dims", { dims: 0 })),
      message: "simulate: dims must be a whole number from 1 to 64, got 0",
      path: ["dims"],
    },
    { argv: simulate("--seed=-1"), message: "--seed must be a whole number from 0 to 9007199254740991; got -1" },
    {
      argv: simulate(...settings("missing", { missingCells: 1 })),
      message: "simulate: missingCells must be a number from 0 to 0.9, got 1",
    },
    {
      argv: simulate(...settings("order", { order: "random" })),
      message: "simulate: order must be newest-first or oldest-first, got random",
    },
    { argv: simulate(...settings("list", [])), message: /list\.json: settings are a JSON object of names and values$/ },
    {
      argv: simulate("--settings", folder.path("none.json")),
      code: "not_found",
      message: `${folder.path("none.json")}: there is no such file`,
    },
    {
      argv: simulate("--items", "20"),
      message: "simulate: 2 scenarios need at least 24 items, got 20",
      path: ["items"],
      rule: "invalid_option",
    },
    {
      argv: simulate(...settings("shares", { saturatedShare: 0.6, hardShare: 0.6 })),
      message: "simulate: saturatedShare, hardShare, flatShare are 1.366667 together, more than 1",
    },
    {
      argv: simulate(...settings("colour", { colour: "red" })),
      message: "simulate: there is no setting colour",
    },
    { argv: simulate("--colour", "red"), message: "unknown option --colour; see anchoreval simulate --help" },
    { argv: simulate("more"), message: /^unexpected argument more/ },
    { argv: simulate("--out", good), message: `--out ${good} can't be made a folder: ${good} is a file` },
    { argv: simulate("--out", `${good}/b`), message: `--out ${good}/b can't be made a folder: ${good} is a file` },
  ])("$argv", (expected) => refuses(expected));
});
