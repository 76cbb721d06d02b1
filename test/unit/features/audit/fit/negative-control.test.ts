import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import { auditLeaderboard } from "../../../../../features/audit/fit/audit-leaderboard.ts";
import {
  auditWork,
  controlLines,
  type NegativeControl,
  negativeControls,
  SHUFFLES,
  shuffledAnswers,
} from "../../../../../features/audit/fit/negative-control.ts";
import { calibratedModels, matrixScenarios } from "../../../../../offline-trainer/src/matrix/benchmark.ts";
import {
  type ResponseMatrix,
  responseMatrix,
  scoreAt,
} from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { DEFAULT_SETTINGS } from "../../../../../offline-trainer/src/methods/settings.ts";
import { countedBackend } from "../../../../support/counted-backend.ts";
import { smallLeaderboard } from "../../../fit/small-leaderboard.ts";

const board = smallLeaderboard({ models: 60, items: [200], missing: 0.1 });
const [scenario] = matrixScenarios(board, DEFAULT_SETTINGS);
const rows = calibratedModels(scenario!);

const controlsOf = (matrix: ResponseMatrix, shuffles = 2): Promise<NegativeControl[]> =>
  negativeControls(matrix, {
    configuration: DEFAULT_SETTINGS,
    dims: 2,
    seed: 1,
    backend: typescriptBackend,
    heldOut: 0.1,
    shuffles,
  });

test.each([
  [0, 0, 1],
  [0.1, 0, 2],
  [0.1, 2, 7],
])(
  "the work of an audit with %d held out and %i shuffles is what its backend calibrates",
  async (heldOut, shuffles, calibrations) => {
    const matrix = smallLeaderboard({ models: 12, items: [20, 16] });
    expect(auditWork(matrix, { dims: 8, heldOut, shuffles })).toMatchObject({ dims: 2, scenarios: 2, calibrations });
    const backend = countedBackend();
    const asked = { configuration: DEFAULT_SETTINGS, dims: 8, seed: 1, backend, heldOut };
    await auditLeaderboard(matrix, asked);
    if (shuffles > 0) await negativeControls(matrix, { ...asked, shuffles });
    expect(backend.opened).toBe(2 * calibrations);
  },
);

/** A board whose answers are noise in one of the two ways. */
const noise = (kind: (typeof SHUFFLES)[number], seed: number): ResponseMatrix =>
  shuffledAnswers(board, rows, kind, createRandom(`noise ${seed}`));

describe("shuffled answers", () => {
  const sorted = (matrix: ResponseMatrix, places: readonly (readonly [number, number])[]): number[] =>
    places
      .map(([m, i]) => scoreAt(matrix, m, i))
      .filter((score) => !Number.isNaN(score))
      .sort((x, y) => x - y);
  const column = (i: number) => rows.map((m) => [m, i] as const);
  const row = (m: number) => board.items.map((_, i) => [m, i] as const);

  test.each(SHUFFLES)("within %s keep every one's answers, and the missing ones where they are", (kind) => {
    const shuffled = noise(kind, 1);
    expect(shuffled.observed).toEqual(board.observed);
    const lines = kind === "items" ? board.items.map((_, i) => column(i)) : rows.map(row);
    for (const line of lines) expect(sorted(shuffled, line)).toEqual(sorted(board, line));
    expect(shuffled.scores).not.toEqual(board.scores);
    expect(noise(kind, 1)).toEqual(shuffled);
    expect(noise(kind, 2)).not.toEqual(shuffled);
  });
});

describe("the negative control", () => {
  test("finds nothing against a board that the response model drew", async () => {
    const [control] = await controlsOf(board);
    const { observed, shuffled, dims, dimsBeyondChance, asGoodAsNoise } = control!;
    expect(asGoodAsNoise).toEqual([]);
    expect(dims).toBe(2);
    expect(dimsBeyondChance).toBeGreaterThanOrEqual(1);
    expect(shuffled.items).toHaveLength(2);
    for (const kind of SHUFFLES) {
      expect(observed.gains[kind].gain).toBeGreaterThan(0.01);
      for (const { gains } of shuffled[kind]) expect(gains[kind].gain).toBeLessThan(0.005);
    }
    for (const { score } of shuffled.items) expect(score!).toBeLessThan(observed.score!);
    for (const { gains } of shuffled.models) expect(gains.items.gain).toBeGreaterThan(0.01); // their scores are as they were
    expect([...controlLines([control!])].join("\n")).not.toContain("no more of the");
  });

  test.each(SHUFFLES)("finds a board out whose answers were shuffled within %s", async (kind) => {
    const [control] = await controlsOf(noise(kind, 7), 1);
    expect(control!.asGoodAsNoise).toEqual([kind]);
    const words = [...controlLines([control!])].at(-1)!;
    expect(words).toMatch(kind === "items" ? /^a: .* no more of the models / : /^a: .* no more of the items /);
  });

  test("accuses no small board whose models differ for sure, however little its held-out answers tell", async () => {
    const random = createRandom("a small board");
    const abilities = Array.from({ length: 12 }, () => random.normal());
    const items = Array.from({ length: 30 }, (_, i) => ({ item_id: `i${i}`, scenario: "s" }));
    const levels = items.map(() => random.normal());
    const scores = abilities.flatMap((own) => levels.map((level) => Number(random.next() < 1 / (1 + Math.exp(level - 1.5 * own))))); // prettier-ignore
    const small = responseMatrix(abilities.map((_, m) => `m${m}`), items, Float32Array.from(scores)); // prettier-ignore
    const [control] = await controlsOf(small);
    const { gain, gainError } = control!.observed.gains.items;
    expect(gain - 2 * gainError).toBeLessThan(0);
    expect(control!.asGoodAsNoise).toEqual([]);
    const [only] = matrixScenarios(small, DEFAULT_SETTINGS);
    const alike = shuffledAnswers(small, calibratedModels(only!), "items", random);
    expect((await controlsOf(alike))[0]!.asGoodAsNoise).toContain("items");
  });

  test("is the same by the same seed, and stops where it is told to", async () => {
    expect(await controlsOf(board, 1)).toEqual(await controlsOf(board, 1));
    const stopped = negativeControls(board, {
      configuration: DEFAULT_SETTINGS,
      dims: 1,
      seed: 1,
      backend: typescriptBackend,
      heldOut: 0.1,
      shuffles: 1,
      signal: AbortSignal.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: "aborted" });
  });
});
