import { appendFileSync } from "node:fs";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";

/**
 * Attacks: tests that try at random. `npm test` makes a few tries from the same seed each time; `bench/adversary.js` goes on
 * for as long as it is told, from another seed, and counts.
 *
 * ATTACK_SEED=…: other tries. ATTACK_SECONDS=60: as many as come to their end by then. ATTACK_TRIES=1000: so many. ATTACK_REPORT=FILE: a
 * line of JSON for each attack.
 */
const { ATTACK_SEED = "attack", ATTACK_SECONDS, ATTACK_TRIES, ATTACK_REPORT } = process.env;

/** Broken tries after which an attack ends: more of them tell nothing new. */
const ENOUGH = 5;

/** Of what is told of a broken try. @unit characters */
const LONGEST = 1000;

/** One try. @returns what broke; null where all held */
export type Try = (random: RandomSource) => Promise<string | null>;

/** Lets whoever runs the attack add figures to its report, such as how many requests were answered how. */
type Figures = Record<string, number>;

interface AttackOptions {
  /** In `npm test`. */
  readonly tries: number;
  /** How many at once. @default 1 */
  readonly beside?: number;
  /** Reported with the number of tries. */
  readonly figures?: Figures;
}

/**
 * A test that is an attack. A try that breaks something is told by its own seed: ATTACK_SEED=THAT with ATTACK_TRIES=1 repeats it
 * where tries don't depend on each other.
 * @example attack("schedules of publishers", { tries: 200 }, async (random) => (await schedule(random)) ?? null);
 */
export function attack(name: string, { tries, beside = 1, figures = {} }: AttackOptions, one: Try): void {
  test(name, { timeout: 3_600_000 }, async () => {
    const begun = Date.now();
    const end = ATTACK_SECONDS === undefined ? Infinity : begun + 1000 * Number(ATTACK_SECONDS);
    const most = Number(ATTACK_TRIES ?? (ATTACK_SECONDS === undefined ? tries : Infinity));
    const broken: string[] = [];
    let [begins, tried] = [0, 0];
    const lane = async (): Promise<void> => {
      while (begins < most && Date.now() < end && broken.length < ENOUGH) {
        // The first try of a seed is the seed's own: what a message names can be tried by itself.
        const seed = begins++ === 0 ? ATTACK_SEED : `${ATTACK_SEED}/${begins}`;
        const what = await one(createRandom(`${seed}/${name}`)).catch(
          (error: unknown) => (error as Error).stack ?? String(error),
        );
        tried++;
        if (what !== null) broken.push(`ATTACK_SEED=${seed}: ${what.slice(0, LONGEST)}`);
      }
    };
    await Promise.all(Array.from({ length: beside }, lane));
    if (ATTACK_REPORT !== undefined) {
      const seconds = Math.round((Date.now() - begun) / 100) / 10;
      appendFileSync(ATTACK_REPORT, `${JSON.stringify({ name, tried, seconds, ...figures, broken })}\n`);
    }
    expect(broken).toEqual([]);
    expect(tried).toBeGreaterThan(0);
  });
}
