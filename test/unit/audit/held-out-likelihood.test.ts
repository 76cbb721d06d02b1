import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { heldOutLikelihood } from "../../../offline-trainer/src/audit/held-out-likelihood.ts";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import type { CalibrationBackend, CodedResponses, Responses } from "../../../offline-trainer/src/calibrate/types.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { simulatedResponses } from "../calibrate/simulated-responses.ts";

const { responses } = simulatedResponses({ subjects: 80, items: 150, dims: 2, missing: 0.1, seed: 3 });

/** The reference backend, which notes what it is given. */
function watched(): { backend: CalibrationBackend; given: CodedResponses[] } {
  const given: CodedResponses[] = [];
  const open = (own: Responses, dims: number) => {
    given.push(own as CodedResponses);
    return typescriptBackend.open(own, dims);
  };
  return { backend: { ...typescriptBackend, open }, given };
}

const options = (backend = typescriptBackend) => ({ dims: 2, backend, random: createRandom("held out") });

describe("held-out log-likelihood", () => {
  test("foretells better than the items' means where there is something to foretell", async () => {
    const own = (await heldOutLikelihood(responses, options()))!;
    expect(own.model).toBeGreaterThan(own.itemMeans);
    expect(own.gain).toBeCloseTo(own.model - own.itemMeans, 12);
    expect(own.gain).toBeGreaterThan(5 * own.gainError);
    expect(own.model).toBeLessThan(0);
    expect(own.answers / (80 * 150 * 0.9)).toBeCloseTo(0.1, 1);
  });

  test("where there is nothing, gains nothing", async () => {
    const random = createRandom("coins");
    const coins = { ...responses, signs: responses.signs.map(() => (random.next() < 0.5 ? 1 : -1)) };
    const own = (await heldOutLikelihood(coins, options()))!;
    expect(own.gain).toBeLessThan(2 * own.gainError);
    expect(own.itemMeans).toBeCloseTo(-Math.LN2, 1);
  });

  test("the calibration sees the others alone, and all of them", async () => {
    const { backend, given } = watched();
    const own = (await heldOutLikelihood(responses, { ...options(backend), share: 0.2 }))!;
    const seen = given[0]!.signs;
    let hidden = 0;
    seen.forEach((sign, k) => {
      if (sign === 0 && responses.signs[k] !== 0) hidden++;
      else expect(sign).toBe(responses.signs[k]);
    });
    expect(hidden).toBe(own.answers);
  });

  test("held-out answers don't reach the fit: turned around, they are as far off as they were near", async () => {
    const { backend, given } = watched();
    await heldOutLikelihood(responses, options(backend));
    const held = responses.signs.map((sign, k) => (given[0]!.signs[k] === 0 ? sign : 0));
    const turned = { ...responses, signs: responses.signs.map((sign, k) => (held[k] === 0 ? sign : -sign)) };
    const again = watched();
    const other = (await heldOutLikelihood(turned, options(again.backend)))!;
    expect(again.given[0]!.signs).toEqual(given[0]!.signs);
    const own = (await heldOutLikelihood(responses, options()))!;
    expect(other.answers).toBe(own.answers);
    expect(other.model).toBeLessThan(own.model);
  });

  test("the same seed gives the same number, another one another", async () => {
    const [one, two] = [await heldOutLikelihood(responses, options()), await heldOutLikelihood(responses, options())];
    expect(two).toEqual(one);
    const other = await heldOutLikelihood(responses, { ...options(), random: createRandom("another") });
    expect(other!.model).not.toBe(one!.model);
  });

  test("with no answer drawn there is none", async () => {
    expect(await heldOutLikelihood(responses, { ...options(), share: 0 })).toBeNull();
  });

  test("stops when it is told to", async () => {
    const stopped = heldOutLikelihood(responses, { ...options(), signal: AbortSignal.abort() });
    expectRefusal(await rejection(stopped), "aborted", "stopped");
  });
});
