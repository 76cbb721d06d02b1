import {
  checkFromAnchors,
  compareFromAnchors,
  createClient,
  estimateFromAnchors,
  estimatePassAtK,
  estimateTrials,
  gateFromAnchors,
  httpSource,
  loadAdaptive,
  loadBundle,
  loadRouting,
  localAdaptive,
  planFromBundle,
  planTrials,
  raceFromPool,
  rankFromAnchors,
} from "anchoreval";
import { publishBundle, publishToWorker, yankVersion } from "anchoreval/bundle";
import { readAnswers } from "anchoreval/node";
import {
  auditLeaderboard,
  customised,
  fit,
  readLongTable,
  readResponses,
  recommended,
  runBacktest,
  startLocalWorker,
} from "anchoreval-trainer";
import { describe, expect, it, test } from "vitest";
import { checkNames } from "../../sdk/core/errors.ts";
import { memorySource } from "../support/memory-source.ts";
import { expectRefusal, refusal, rejection } from "../support/refusal.ts";
import { sampleAnswers } from "../support/sample-answers.ts";
import { sampleBundle } from "../support/sample-bundle.ts";

const source = memorySource(sampleBundle());
const bundle = await loadBundle(source);
const pool = await loadAdaptive(source);
const responses = sampleAnswers("20");
const [a, b] = [
  { name: "a", responses },
  { name: "b", responses: sampleAnswers("20", {}, { seed: 2 }) },
];

/** Every function that takes options, with some that it doesn't have. */
const CALLS: readonly (readonly [string, (options: never, of?: never) => unknown])[] = [
  ["estimateFromAnchors", (options, of = bundle as never) => estimateFromAnchors(of, responses, options)],
  ["estimateTrials", (options, of = bundle as never) => estimateTrials(of, responses, options)],
  ["estimatePassAtK", (options, of = bundle as never) => estimatePassAtK(of, responses, "pass@2", options)],
  ["compareFromAnchors", (options, of = bundle as never) => compareFromAnchors(of, a, b, options)],
  ["rankFromAnchors", (options, of = bundle as never) => rankFromAnchors(of, [a, b], options)],
  ["checkFromAnchors", (options, of = bundle as never) => checkFromAnchors(of, a, options)],
  ["gateFromAnchors", (options, of = bundle as never) => gateFromAnchors(of, [a], [a, b], options)],
  ["planFromBundle", (options, of = bundle as never) => planFromBundle(of, options)],
  ["planTrials", (options, of = bundle as never) => planTrials(of, options)],
  ["raceFromPool", (options, of = pool as never) => raceFromPool(of, [a, b], options)],
];
const LATER: readonly (readonly [string, (options: never) => unknown])[] = [
  ["loadBundle", (options) => loadBundle(source, options)],
  ["loadAdaptive", (options) => loadAdaptive(source, options)],
  ["loadRouting", (options) => loadRouting(source, options)],
  ["readAnswers", (options) => readAnswers("nowhere.json", options)],
  ["an adaptive evaluation", (options) => localAdaptive(pool, 1).begin(options)],
  ["a stop rule", (options) => localAdaptive(pool, 1).begin({ stop: options })],
  ["createClient", (options: object) => createClient({ baseUrl: "https://example.com", ...options })],
  ["httpSource", (options) => httpSource("https://example.com", options)],
  ["fit", (options) => fit({} as never, options)],
  ["runBacktest", (options) => runBacktest({} as never, options)],
  ["auditLeaderboard", (options) => auditLeaderboard({} as never, options)],
  ["readResponses", (options) => readResponses("nowhere.csv", options)],
  ["readLongTable", (options) => readLongTable("nowhere.csv", {} as never, options)],
  ["customised", (options) => customised(recommended, options)],
  ["startLocalWorker", (options) => startLocalWorker(options)],
  ["publishBundle", (options) => publishBundle({} as never, new Map(), options)],
  ["publishToWorker", (options) => publishToWorker(new Map(), options)],
  ["yankVersion", (options: object) => yankVersion({} as never, { benchmark: "a", version: "1.0.0", ...options }, { yanked: false })], // prettier-ignore
];

/** Options that are numbers, whichever function has them. */
const NUMBERS = [
  ...["level", "margin", "minScore", "maxDrop", "alarmsPerYear", "runsPerYear", "nights", "halfWidth", "gap", "rankedRight"],
  ...["timeout", "maxRetries", "maxWait", "seeds", "firstSeed", "sources", "heldOut", "leastModels", "port"],
]; // prettier-ignore

/** Options that are lists. */
const LISTS = [
  "scenarios",
  "baselines",
  "prices",
  "trials",
  "scoreRange",
  "sizes",
  "totals",
  "targets",
  "dates",
  "origins",
];

/** What is thrown at once, as what is rejected. */
const later = (act: () => unknown): Promise<unknown> => Promise.resolve().then(act);

describe.each([...CALLS, ...LATER])("%s", (_, call) => {
  it("refuses options that it doesn't have, and says which it has", async () => {
    for (const name of ["froms", "toString", "constructor", "x"]) {
      const error = await rejection(later(() => call({ [name]: "50" } as never)));
      expectRefusal(error, "invalid_option", `there is no option ${name}`);
      expect(error.message).toMatch(/ there are [\w, ]+$/);
    }
  });

  it("refuses what is no number or list where one is needed: an empty text, null and lists would count as numbers", async () => {
    const { message } = await rejection(later(() => call({ x: 1 } as never)));
    const names = message.slice(message.indexOf(" there are ") + 11).split(", ");
    const values = ["", "0.83", null, [0.83], true, {}];
    for (const [kind, all] of Object.entries({ number: NUMBERS, list: LISTS }))
      for (const name of all.filter((own) => names.includes(own)))
        for (const value of values.filter((own) => kind === "number" || !Array.isArray(own))) {
          const error = await rejection(later(() => call({ [name]: value } as never)));
          expectRefusal(error, "invalid_option", `${name} must be a ${kind}, got `);
        }
  });

  it("refuses options that are none", async () => {
    if (["createClient", "yankVersion"].includes(_)) return;
    expectRefusal(await rejection(later(() => call("50" as never))), "invalid_option", "options are an object");
  });
});

describe.each(CALLS)("%s", (_, call) => {
  it("refuses a promise in place of what it brings", () => {
    const error = refusal(() => call({} as never, Promise.resolve(bundle) as never));
    expectRefusal(error, "invalid_option", "gives a promise: await it");
  });

  it.each([
    ["a name", "gsm8k"],
    ["null", null],
    ["a number", 1],
  ])("refuses %s in place of a bundle", (_name, of) => {
    expectRefusal(
      refusal(() => call({} as never, of as never)),
      "invalid_option",
      "gives is needed first, got",
    );
  });
});

test("a method takes each of its settings", async () => {
  for (const [name, value] of Object.entries<unknown>({ ...recommended.settings }))
    expect((await customised(recommended, { [name]: value })).settings).toEqual(recommended.settings);
});

test("a bundle's address or source is needed, and a Worker's address", async () => {
  for (const none of [undefined, null, 1, {}, Promise.resolve(source)]) {
    const error = await rejection(later(() => loadBundle(none as never)));
    expectRefusal(error, "invalid_option", "a bundle's URL or source is needed");
  }
  expectRefusal(
    refusal(() => createClient({} as never)),
    "invalid_option",
    "baseUrl is needed",
  );
});

test("the nearest name is offered, where one is near", () => {
  const names = { form: true, formDigest: true, level: true, onChangedItem: true } as const;
  const message = (name: string): string => refusal(() => checkNames<object>({ [name]: 1 }, names)).message;
  expect(message("froms")).toBe("there is no option froms (did you mean form?): there are form, formDigest, level, onChangedItem"); // prettier-ignore
  expect(message("onchangeditem")).toContain("did you mean onChangedItem?");
  expect(message("confidence")).toBe("there is no option confidence: there are form, formDigest, level, onChangedItem");
  expect(message("x")).not.toContain("did you mean");
});

test("a form's id is text", async () => {
  const asked = { form: 20 as never };
  const message = 'this bundle has no form 20: it has 8, 20; a form\'s id is text, "20", not a number';
  for (const error of [
    refusal(() => estimateFromAnchors(bundle, responses, asked)),
    refusal(() => rankFromAnchors(bundle, [a, b], asked)),
    await rejection(loadBundle(source, asked)),
  ])
    expectRefusal(error, "unknown_form", message);
});
