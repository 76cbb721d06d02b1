import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { fittedAnswers, type FittedAnswers } from "../../../../../features/audit/fit/fitted-answers.ts";
import {
  familyWeights,
  keyAudit,
  meanLikeness,
  residualLikeness,
  CURVE_KINDS,
  type CurveKind,
  keyCurves,
  keyPosteriors,
  PLACES,
} from "../../../../../features/audit/fit/key-audit.ts";
import { calibrationOf } from "./reference.ts";

const grid = Float64Array.from({ length: 41 }, (_, k) => -4 + k / 5);
const table = keyCurves(grid);
const curvesOf = (kind: CurveKind): { begin: number; end: number } => {
  const at = CURVE_KINDS.indexOf(kind);
  const begin = table.counts.slice(0, at).reduce((sum, own) => sum + own, 0);
  return { begin, end: begin + table.counts[at]! };
};
const turns = (curve: number): number => {
  const p = Array.from(table.right.subarray(curve * grid.length, (curve + 1) * grid.length), Math.exp);
  const steps = p.slice(1).map((own, k) => Math.sign(Math.round(1e12 * (own - p[k]!))));
  const moving = steps.filter((step) => step !== 0);
  return moving.slice(1).filter((step, k) => step !== moving[k]).length;
};

describe("the curves", () => {
  test("are probabilities, as many as are said", () => {
    expect(table.places).toHaveLength(table.counts.reduce((sum, own) => sum + own, 0));
    expect(table.right).toHaveLength(table.places.length * grid.length);
    table.right.forEach((own, k) => expect(Math.exp(own) + Math.exp(table.wrong[k]!)).toBeCloseTo(1, 12));
  });

  test("rise, fall, stay and turn as their kinds say", () => {
    const ends = (curve: number): number =>
      table.right[(curve + 1) * grid.length - 1]! - table.right[curve * grid.length]!;
    for (const [kind, most, sign] of [
      ["rising", 0, 1],
      ["falling", 0, -1],
      ["flat", 0, 0],
      ["peaked", 1, null],
      ["dipped", 1, null],
    ] as const) {
      const { begin, end } = curvesOf(kind);
      expect(end).toBeGreaterThan(begin);
      for (let c = begin; c < end; c++) {
        expect(turns(c), kind).toBeLessThanOrEqual(most);
        if (sign !== null) expect(sign * Math.sign(ends(c))).toBeGreaterThanOrEqual(0);
      }
    }
  });

  test("every kind but the flat has each place equally often", () => {
    for (const kind of CURVE_KINDS) {
      const { begin, end } = curvesOf(kind);
      const places = table.places.slice(begin, end);
      if (kind === "flat") expect(places.every((place) => place === -1)).toBe(true);
      else
        for (let place = 0; place < PLACES; place++)
          expect(places.filter((own) => own === place).length).toBe((end - begin) / PLACES);
    }
  });
});

describe("posteriors", () => {
  const width = table.places.length;

  test("of answers that say nothing are the prior shares", () => {
    const [own] = keyPosteriors(new Float32Array(width).fill(1), table);
    expect(own!.rising).toBeCloseTo(0.92, 6);
    for (const kind of ["falling", "flat", "peaked", "dipped"] as const) expect(own![kind]).toBeCloseTo(0.02, 6);
  });

  test("of answers that one curve alone explains are certain; they sum to 1", () => {
    for (const kind of CURVE_KINDS) {
      const likelihood = new Float32Array(width);
      likelihood[curvesOf(kind).begin] = 1;
      const [own] = keyPosteriors(likelihood, table);
      expect(own![kind]).toBeCloseTo(1, 12);
      expect(CURVE_KINDS.reduce((sum, name) => sum + own![name], 0)).toBeCloseTo(1, 12);
    }
  });

  test("another order of the items is another order of the posteriors", () => {
    const random = createRandom("likelihoods");
    const rows = Array.from({ length: 30 }, () => Float32Array.from({ length: width }, () => random.next() ** 20));
    const flat = (list: readonly Float32Array[]): Float32Array => Float32Array.from(list.flatMap((row) => [...row]));
    const own = keyPosteriors(flat(rows), table);
    const reversed = keyPosteriors(flat([...rows].reverse()), table).reverse();
    own.forEach((posterior, k) =>
      CURVE_KINDS.forEach((kind) => expect(reversed[k]![kind]).toBeCloseTo(posterior[kind], 6)),
    );
  });

  test("wrong keys that are common make a doubtful item likelier to have one", () => {
    const doubtful = new Float32Array(width);
    doubtful.fill(1, 0, curvesOf("falling").end);
    const wrong = new Float32Array(width);
    wrong.fill(1, curvesOf("falling").begin, curvesOf("falling").end);
    const together = (others: readonly Float32Array[]): number =>
      keyPosteriors(Float32Array.from([doubtful, ...others].flatMap((row) => [...row])), table)[0]!.falling;
    expect(together(new Array<Float32Array>(40).fill(wrong))).toBeGreaterThan(10 * together([]));
  });
});

describe("weights of related models", () => {
  const families = Int32Array.of(0, 0, 0, 0, 1, 1, 2);
  const half = new Float64Array(7).fill(0.5);

  test("the likeness is the mean product of standardised residuals within families", () => {
    const signs = Int8Array.of(1, 1, 1, -1, 1, 0, -1);
    const { products, pairs } = residualLikeness(signs, half, families);
    // Residuals ±1: three pairs agree and three don't in the family of four; the others have no pair left.
    expect(pairs).toBe(12);
    expect(products).toBeCloseTo(0, 12);
    const alike = residualLikeness(Int8Array.of(1, 1, 1, 1, -1, -1, 1), half, families);
    expect(alike.products / alike.pairs).toBeCloseTo(1, 12);
  });

  test("a family that answers as one counts as one, one that doesn't as many", () => {
    const signs = Int8Array.of(1, 1, 1, 1, -1, -1, 1);
    const one = familyWeights({ products: 1e9, pairs: 1e9 }, 0, signs, families);
    expect(Array.from(one, (own) => Number(own.toFixed(6)))).toEqual([0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 1]);
    expect(Array.from(familyWeights({ products: -5, pairs: 1e9 }, 0, signs, families))).toEqual([1, 1, 1, 1, 1, 1, 1]);
    const missing = familyWeights({ products: 1e9, pairs: 1e9 }, 0, Int8Array.of(1, 0, 0, 0, 1, 1, 1), families);
    expect(missing[0]).toBeCloseTo(1, 6);
  });

  test("an item with few pairs has the likeness of all items", () => {
    const mean = meanLikeness([
      { products: 30, pairs: 100 },
      { products: 30, pairs: 50 },
    ]);
    expect(mean).toBeCloseTo(0.4, 12);
    expect(meanLikeness([])).toBe(0);
    const own = familyWeights({ products: 0, pairs: 0 }, mean, new Int8Array(7).fill(1), families);
    expect(own[0]).toBeCloseTo(1 / (1 + 3 * 0.4), 12);
  });
});

/** Answers of models of given ability to items of given curves. */
function drawn(abilities: Float64Array, curves: readonly ((x: number) => number)[], seed: string): FittedAnswers {
  const random = createRandom(seed);
  const models = abilities.length;
  const signs = new Int8Array(models * curves.length);
  curves.forEach((curve, i) =>
    abilities.forEach((x, m) => (signs[m * curves.length + i] = random.next() < curve(x) ? 1 : -1)),
  );
  const empty = { dims: 1, theta: [...abilities], a: curves.map(() => 1), b: curves.map(() => 0) };
  return fittedAnswers({ subjects: models, items: curves.length, signs }, calibrationOf(empty));
}

const rise = (slope: number, at: number) => (x: number) => 1 / (1 + Math.exp(-slope * (x - at)));

describe("key audit", () => {
  const random = createRandom("abilities");
  const abilities = Float64Array.from({ length: 160 }, () => random.normal());
  const sound = Array.from({ length: 200 }, (_, k) => rise(1 + (k % 5) / 2, ((k % 9) - 4) / 2));
  const faulty = [
    (x: number) => 0.6 * (1 - rise(2, 0)(x)),
    (x: number) => 0.4 * (1 - rise(3, 0.5)(x)),
    (x: number) => 0.9 * (1 - rise(2, -0.5)(x)),
  ];
  const answers = drawn(abilities, [...sound, ...faulty, (x) => Math.exp(-2 * x * x), () => 0.5], "answers");
  const items = Array.from({ length: answers.items }, (_, i) => i);
  const alone = Int32Array.from(abilities, (_, m) => m);
  const own = keyAudit(answers, items, abilities, alone);

  test("finds wrong keys and turning items, and clears the others", () => {
    expect(own.slice(0, 200).filter(({ falling }) => falling > 0.1)).toEqual([]);
    expect(own.slice(0, 200).filter(({ rising }) => rising > 0.9).length).toBeGreaterThan(185);
    for (const { falling } of own.slice(200, 203)) expect(falling).toBeGreaterThan(0.95);
    expect(own[203]!.peaked).toBeGreaterThan(0.9);
    expect(own[204]!.falling).toBeLessThan(0.1);
  });

  test("depends on abilities only by their order and spread, not on the models' order", () => {
    const order = createRandom("order").shuffle([...abilities.keys()]);
    const turned: FittedAnswers = {
      ...answers,
      signs: Int8Array.from(answers.signs, (_, k) => answers.signs[k - (k % 160) + order[k % 160]!]!),
    };
    const other = keyAudit(
      turned,
      items,
      Float64Array.from(order, (m) => abilities[m]!),
      alone,
    );
    own.forEach((posterior, i) => expect(other[i]!.falling).toBeCloseTo(posterior.falling, 5));
  });

  test("answers that a few families give as one are weaker evidence", () => {
    // Twenty models of one family of strong models, which miss the item: one witness, not twenty.
    const strongest = [...abilities.keys()].sort((x, y) => abilities[y]! - abilities[x]!).slice(0, 20);
    const families = Int32Array.from(abilities, (_, m) => (strongest.includes(m) ? 160 : m));
    const copy: FittedAnswers = { ...answers, signs: answers.signs.slice() };
    const coin = createRandom("coin");
    for (let m = 0; m < 160; m++) copy.signs[204 * 160 + m] = strongest.includes(m) ? -1 : coin.next() < 0.5 ? 1 : -1;
    const unrelated = keyAudit(copy, items, abilities, alone)[204]!.falling;
    const related = keyAudit(copy, items, abilities, families)[204]!.falling;
    expect(unrelated).toBeGreaterThan(0.5);
    expect(related).toBeLessThan(0.6 * unrelated);
  });

  test("few models leave it open", () => {
    const few = drawn(Float64Array.of(-1, -0.5, 0, 0.5, 1), faulty, "few");
    for (const { falling } of keyAudit(
      few,
      [0, 1, 2],
      Float64Array.of(-1, -0.5, 0, 0.5, 1),
      Int32Array.of(0, 1, 2, 3, 4),
    ))
      expect(falling).toBeLessThan(0.5);
  });
});
