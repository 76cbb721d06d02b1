import type { AnchorEvalErrorCode } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test, vi } from "vitest";
import { METHOD_NAMES } from "../../../offline-trainer/src/methods/index.ts";
import { lastGiven, listing, runProgram } from "../../support/run-command.ts";
import { tempFolder } from "../../support/temp-folder.ts";

// Whatever takes long: none of it may begin.
const begins = vi.hoisted(() => () => {
  throw new Error("long work has begun");
});
vi.mock("../../../offline-trainer/src/calibrate/calibrate.ts", () => ({ calibrate: begins }));
vi.mock("../../../features/marginal/fit/calibrate-marginal.ts", () => ({ calibrateMarginal: begins }));
vi.mock("../../../offline-trainer/src/threads/run-on-threads.ts", () => ({ runOnThreads: begins }));
vi.mock("../../../features/routing/fit/encode-texts.ts", () => ({ termVectors: begins }));

const folder = tempFolder();
const random = createRandom("recipe errors");
const ITEMS = Array.from({ length: 40 }, (_, i) => `q${i}`);
const MODELS = Array.from({ length: 12 }, (_, m) => `maker${m}/model`);
const lines = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join("");
const csv = (name: string, header: string, of: (i: number) => string): string =>
  folder.write(name, lines([`item_id,${header}`, ...ITEMS.map((id, i) => `${id},${of(i)}`)]));
const jsonl = (name: string, of: (i: number) => object): string =>
  folder.write(name, lines(ITEMS.map((item_id, i) => JSON.stringify({ item_id, ...of(i) }))));

const responses = folder.write(
  "responses.csv",
  lines([["model", ...ITEMS].join(), ...MODELS.map((name) => [name, ...ITEMS.map(() => random.below(2))].join())]),
);
const scenario = "quiz";
/** Texts, subscenarios and a topic of nine values; the same without any. */
const told = jsonl("told.jsonl", (i) => ({
  ...{ scenario, text: `How many? ${i}`, subscenario: i < 30 ? "seen" : "new", topic: `topic ${i % 9}` },
}));
const bare = jsonl("bare.jsonl", () => ({ scenario }));
const oneTextless = jsonl("one.jsonl", (i) => ({ scenario, ...(i !== 7 && { text: "?" }), subscenario: "seen" }));
const ragged = jsonl("ragged.jsonl", (i) => ({ embedding: i === 9 ? [1, 2] : [1, 2, i] }));
const short = folder.write("short.csv", "item_id,x,y\nq0,1,2\n");
const form = csv("form.csv", "subject,level", (i) => `s${i % 4},${i}`);

interface Case {
  readonly argv: readonly string[];
  readonly code: AnchorEvalErrorCode;
  readonly message: string;
}

const out = folder.path("out");
const fit = (...more: readonly string[]): string[] => [
  ...["fit", "--responses", responses, "--name", "quiz@1.0.0", "--anchors", "6", "--out", out],
  ...["--provider", "typescript", ...more],
];
const backtest = (...more: readonly string[]): string[] => [
  ...["backtest", "--responses", responses, "--anchors", "6", "--seeds", "1", ...more],
];
const route = (...more: readonly string[]): string[] => [
  ...["route", "--responses", responses, "--train", "seen", "--test", "new", "--out", `${out}.csv`],
  ...["--provider", "typescript", ...more],
];
const embed = (...more: readonly string[]): string[] => ["embed", "--out", `${out}.jsonl`, ...more];
const forms = (...more: readonly string[]): string[] => [
  ...["forms", "--items", form, "--size", "10", "--out", out, ...more],
];
const ANSWERED = ["--responses", responses, "--provider", "typescript"];

async function refuses({ argv, code, message }: Case): Promise<void> {
  const before = listing(folder.path(""));
  const run = await runProgram(lastGiven([...argv, "--json"]));
  const { error } = JSON.parse(run.out) as { error: { code: string; message: string } };
  expect({ exit: run.code, code: error.code }, error.message).toEqual({ exit: 2, code });
  expect(error.message).toContain(message);
  expect(listing(folder.path(""))).toEqual(before);
}

test.each([
  fit(),
  fit("--recipe", "sublime", "--items", told),
  backtest(),
  route("--items", told),
  embed("--items", told),
  forms(...ANSWERED),
])("what is not refused does begin: %j", async (...argv) => {
  expect((await runProgram(lastGiven(argv))).err).toContain("long work has begun");
});

describe.each([
  ["fit", fit],
  ["backtest", backtest],
])("%s is refused before any long work", (_, command) => {
  test.each(METHOD_NAMES)("%s with more anchors than the largest scenario has items", (recipe) =>
    refuses({
      argv: command("--recipe", recipe, "--anchors", "6,41"),
      code: "invalid_option",
      message: "--anchors 41 is more than there are: the largest scenario has 40 items",
    }),
  );

  test("random with a search", () =>
    refuses({
      argv: command("--recipe", "random", "--set", "search-budget=9"),
      code: "invalid_option",
      message: "--set search-budget is for selection=fisher-information alone",
    }));

  test("metabench with more than one dimension", () =>
    refuses({
      argv: command("--recipe", "metabench", "--set", "dims=2"),
      code: "invalid_option",
      message: "--set estimation=marginal has one dimension, got dims=2",
    }));
});

test.each<Case>([
  {
    argv: fit("--recipe", "random", "--total", "41").filter((word) => word !== "--anchors" && word !== "6"),
    code: "invalid_option",
    message: "--total must be at most the 40 items of all scenarios; got 41",
  },
  { argv: route("--items", bare), code: "invalid_data", message: 'there is no subscenario "seen"' },
  {
    argv: route("--items", oneTextless, "--test", oneTextless),
    code: "invalid_data",
    message: "40 of the test questions are train questions too",
  },
  { argv: route("--items", told, "--k", "30"), code: "invalid_option", message: "30 neighbours need more than 30" },
  { argv: route("--items", told, "--embeddings", ragged), code: "invalid_data", message: 'item "q9" has 2 numbers' },
  { argv: route("--items", told, "--embeddings", short), code: "invalid_data", message: "29 questions have no" },
  { argv: embed("--items", bare), code: "invalid_data", message: "40 questions have no text" },
  { argv: embed("--items", oneTextless), code: "invalid_data", message: '1 question has no text: "q7"' },
  { argv: embed("--items", told, "--encoder", folder.path("none")), code: "not_found", message: "there is no encoder" },
  { argv: forms("--size", "21"), code: "invalid_option", message: "2 forms of 21 items take 42, and there are 40" },
  { argv: forms("--by", "topic"), code: "invalid_data", message: 'there is no column "topic" (--by)' },
  { argv: forms("--difficulty", "subject"), code: "invalid_data", message: "a difficulty must be a number" },
  { argv: forms("--families", form), code: "invalid_option", message: "--families needs --responses" },
  { argv: forms("--check", "none"), code: "invalid_option", message: "--check needs --responses" },
  {
    argv: forms(...ANSWERED, "--check", "twice"),
    code: "invalid_option",
    message: "--check must be one of folds, none; got twice",
  },
  {
    argv: forms(...ANSWERED, "--check", "none", "--families", form),
    code: "invalid_option",
    message: "--families is for the check, which --check none leaves out",
  },
  {
    argv: forms(...ANSWERED, "--families", folder.write("lonely.csv", "maker1/model\n")),
    code: "invalid_data",
    message: 'line 1: a line must be model,family, got "maker1/model"',
  },
])("$argv is refused before any long work", refuses);
