import {
  eliminate,
  provenBest,
  type RaceEvidence,
  raceQuantile,
} from "anchoreval/internal/features/adaptive/core/elimination";
import { looksLevel } from "anchoreval/internal/features/adaptive/core/looks-level";
import { normalQuantile } from "anchoreval/internal/core/numeric/distributions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";

const ROUNDS = 12;
/** Information of every look: growing by a half, without end at the last one. */
const TIMES = Array.from({ length: ROUNDS }, (_, round) => (round === ROUNDS - 1 ? 1e6 : 1.5 ** round));

/** Candidates with true scores, their estimates with independent errors of the variance ½·1/I, exact at the end. */
function simulated(truths: readonly number[], seed: string): Omit<RaceEvidence, "completed"> {
  const random = createRandom(seed);
  const scores = truths.map((truth) => {
    let walk = 0;
    let before = 0;
    return TIMES.map((time, round) => {
      walk += Math.sqrt((time - before) / 2) * random.normal();
      before = time;
      return round === ROUNDS - 1 ? truth : truth + walk / time;
    });
  });
  return {
    score: (i, round) => scores[i]![round]!,
    difference: (i, j, round) => ({
      difference: scores[i]![round]! - scores[j]![round]!,
      bounds: { low: -Infinity, high: Infinity },
      sampling: { variance: round === ROUNDS - 1 ? 0 : 1 / TIMES[round]!, degrees: Infinity },
    }),
  };
}

/** A race in which everybody is asked what it says. @returns also where it stood after each step */
function finished(evidence: Omit<RaceEvidence, "completed">, count: number, z: number, margin: number) {
  const completed = Array<number>(count).fill(0);
  const steps = [];
  for (;;) {
    const found = eliminate({ ...evidence, completed }, z, margin, ROUNDS);
    steps.push(found);
    if (found.ask.size === 0) return { ...found, completed, steps };
    for (const [i, rounds] of found.ask) completed[i] = rounds;
  }
}

describe("the quantile", () => {
  test("of one pair and one look is the normal one, and of several Pocock's", () => {
    expect(raceQuantile(0.95, 2, [3])).toBeCloseTo(1.65, 1);
    expect(raceQuantile(0.975, 2, [2, 4, 6, 8, 10])).toBeCloseTo(2.42, 2);
    expect(raceQuantile(0.95, 21, [1])).toBeCloseTo(normalQuantile(1 - 0.05 / 20), 3);
  });

  test("depends on the ratios of the looks alone", () => {
    expect(raceQuantile(0.95, 20, TIMES)).toBeCloseTo(
      raceQuantile(
        0.95,
        20,
        TIMES.map((time) => 7 * time),
      ),
      9,
    );
    expect(raceQuantile(0.95, 20, TIMES)).toBeGreaterThan(raceQuantile(0.95, 20, TIMES.slice(0, 6)));
  });

  test.each([0.5, 0.8, 0.95])("is crossed on one side no more often than stated: level %s", (level) => {
    const random = createRandom(`one side ${level}`);
    const z = raceQuantile(level, 2, TIMES);
    let crossed = 0;
    for (let run = 0; run < 10000; run++) {
      let [walk, before, most] = [0, 0, -Infinity];
      for (const time of TIMES) {
        walk += Math.sqrt(time - before) * random.normal();
        before = time;
        most = Math.max(most, walk / Math.sqrt(time));
      }
      if (most > z) crossed++;
    }
    // 4.5 standard deviations of 10 000 are .0225 at most.
    expect(crossed / 10000).toBeLessThan(1 - level + 0.0225);
    expect(crossed / 10000).toBeGreaterThan(0.8 * (1 - level));
  });

  test("at looks that lie unevenly, a walk stays below it as often as it says", () => {
    const random = createRandom("walks");
    const z = normalQuantile(0.5 + looksLevel(0.9, TIMES) / 2);
    let inside = 0;
    const runs = 20000;
    for (let run = 0; run < runs; run++) {
      let [walk, before] = [0, 0];
      let most = 0;
      for (const time of TIMES) {
        walk += Math.sqrt(time - before) * random.normal();
        before = time;
        most = Math.max(most, Math.abs(walk) / Math.sqrt(time));
      }
      if (most <= z) inside++;
    }
    expect(inside / runs).toBeGreaterThan(0.89);
    expect(inside / runs).toBeLessThan(0.91);
  });
});

// 500 races know an error of .1 to ±.04 (three standard errors).
test.each([
  ["two", 2, 0.05, 0.1],
  ["six", 6, 0.02, 0.1],
])("of %s candidates a worse one wins, or the best one is out, no more often than stated", (_, count, least, error) => {
  const z = raceQuantile(1 - error, count, TIMES);
  let wrong = 0;
  for (let run = 0; run < 500; run++) {
    // The best one is better by so little that only chance could tell.
    const truths = Array.from({ length: count }, (__, i) => (i === 0 ? 1e-3 : 0));
    const { winner, out } = finished(simulated(truths, `${count} ${run}`), count, z, 0);
    if (winner !== 0 || out[0] !== null) wrong++;
  }
  expect(wrong / 500).toBeLessThan(error + 0.04);
  expect(wrong / 500).toBeGreaterThan(least); // it isn't kept by never deciding
});

test("a winner is worse than the best one by more than the margin no more often than stated", () => {
  const z = raceQuantile(0.9, 4, TIMES);
  let wrong = 0;
  for (let run = 0; run < 500; run++) {
    const truths = [0.5, 0.5 - 0.3001, 0.5 - 0.3001, 0];
    const { winner } = finished(simulated(truths, `margin ${run}`), 4, z, 0.3);
    if (truths[winner!]! < 0.5 - 0.3) wrong++;
  }
  expect(wrong / 500).toBeLessThan(0.14);
});

describe("a race", () => {
  const truths = [0.2, 1, 0.9, -0.5, 0.1];
  const z = raceQuantile(0.95, 5, TIMES);

  test("ends, at the last round at the latest, where everything is known", () => {
    for (let run = 0; run < 50; run++) {
      const { winner, within, completed } = finished(simulated([0, 0, 0, 0], `tie ${run}`), 4, z, 0);
      expect(winner).not.toBeNull();
      expect(within).toBe(0);
      expect(Math.max(...completed)).toBeLessThanOrEqual(ROUNDS);
    }
  });

  test("is the same in any order of the candidates", () => {
    for (let run = 0; run < 20; run++) {
      const evidence = simulated(truths, `order ${run}`);
      const turn = createRandom(`turn ${run}`).shuffle([0, 1, 2, 3, 4]);
      const turned: typeof evidence = {
        score: (i, round) => evidence.score(turn[i]!, round),
        difference: (i, j, round) => evidence.difference(turn[i]!, turn[j]!, round),
      };
      const [one, other] = [finished(evidence, 5, z, 0.05), finished(turned, 5, z, 0.05)];
      expect(turn[other.winner!]).toBe(one.winner);
      expect(other.completed).toEqual(turn.map((i) => one.completed[i]));
      expect(other.out.map((own) => own && { ...own, by: turn[own.by]! })).toEqual(turn.map((i) => one.out[i]));
    }
  });

  test("lets nobody in again, never loses who stands highest, and says less and less may be better", () => {
    for (let run = 0; run < 10; run++) {
      const { steps } = finished(simulated(truths, `steps ${run}`), 5, z, 0.05);
      for (const [k, step] of steps.entries()) {
        expect(step.out[step.leader]).toBeNull();
        if (k === 0) continue;
        for (const [i, before] of steps[k - 1]!.out.entries()) if (before !== null) expect(step.out[i]).toEqual(before);
        for (let i = 0; i < 5; i++)
          for (let j = 0; j < 5; j++)
            expect(step.most(i, j)).toBeLessThanOrEqual(steps[k - 1]!.most(i, j)); // prettier-ignore
      }
    }
  });

  test("asks nobody who is out, or close enough to the leader", () => {
    const { steps } = finished(simulated([0, 0.01, 3, 3.01], "asks"), 4, z, 0.5);
    for (const { ask, out, leader, most } of steps)
      for (const i of ask.keys()) {
        expect(out[i]).toBeNull();
        if (i !== leader) expect(most(i, leader)).toBeGreaterThan(0.5);
      }
  });

  test("lets who was left behind catch up where the leader changes", () => {
    // 1 leads in round 0 and is left behind; then 0 is ahead of it by what isn't known.
    const scores = [
      [0, 0.9, 0.9],
      [1, 1, 1],
    ];
    const evidence: RaceEvidence = {
      completed: [2, 1],
      score: (i, round) => scores[i]![round]!,
      difference: (i, j, round) => ({
        difference: scores[i]![round]! - scores[j]![round]!,
        bounds: { low: -9, high: 9 },
        sampling: { variance: 1, degrees: Infinity },
      }),
    };
    expect([...eliminate(evidence, 2, 0.1, 3).ask]).toEqual([[1, 2]]);
  });

  test("proves one to be the best by pairs that it is in alone", () => {
    const evidence = simulated([0, 50, 1], "proof");
    expect(provenBest({ ...evidence, completed: [3, 3, 3] }, 3)).toBe(1);
    expect(provenBest({ ...evidence, completed: [3, 3, 0] }, 3)).toBeNull();
    expect(provenBest({ ...evidence, completed: [0, 0, 0] }, 3)).toBeNull();
  });

  test("knows the bounds that answers prove where there is no variance yet", () => {
    const evidence: RaceEvidence = {
      completed: [1, 1],
      score: (i) => i,
      difference: (i, j) => ({ difference: i - j, bounds: { low: i - j - 0.1, high: i - j + 0.1 }, sampling: null }),
    };
    expect(eliminate(evidence, 3, 0, 5)).toMatchObject({ winner: 1, out: [{ round: 0, by: 1 }, null] });
  });
});
