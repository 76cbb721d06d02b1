import fc from "fast-check";
import { expect, test } from "vitest";
import { answersAmong, countAnswers } from "../../../offline-trainer/src/calibrate/answer-counts.ts";

const drawn = (length: number, seed: number): Int8Array => {
  let state = seed | 1;
  return Int8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return ((state >>> 16) % 3) - 1;
  });
};

/** Cell by cell. */
const counted = (signs: Int8Array, cells: (k: number) => boolean) => {
  const inside = signs.filter((_, k) => cells(k));
  return [inside.filter((sign) => sign !== 0).length, inside.filter((sign) => sign > 0).length];
};

test("counts are those of a walk over the cells, at any shape and place in memory", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 0, max: 3 }),
      fc.integer(),
      (subjects, items, offset, seed) => {
        const signs = drawn(offset + subjects * items, seed).subarray(offset);
        const { subject, item } = countAnswers({ subjects, items, signs });
        for (let m = 0; m < subjects; m++)
          expect([subject.seen[m], subject.right[m]]).toEqual(counted(signs, (k) => Math.floor(k / items) === m));
        for (let i = 0; i < items; i++)
          expect([item.seen[i], item.right[i]]).toEqual(counted(signs, (k) => k % items === i));
        expect(answersAmong(signs)).toBe(counted(signs, () => true)[0]);
      },
    ),
  );
});

test.each([1, -1])("bytes don't run over: 600 models and 4083 items, all %d", (sign) => {
  const [subjects, items] = [600, 4083];
  const signs = new Int8Array(subjects * items).fill(sign);
  const { subject, item } = countAnswers({ subjects, items, signs });
  expect(new Set(subject.seen)).toEqual(new Set([items]));
  expect(new Set(item.seen)).toEqual(new Set([subjects]));
  expect(new Set(subject.right)).toEqual(new Set([sign > 0 ? items : 0]));
  expect(new Set(item.right)).toEqual(new Set([sign > 0 ? subjects : 0]));
  expect(answersAmong(signs)).toBe(subjects * items);
});
