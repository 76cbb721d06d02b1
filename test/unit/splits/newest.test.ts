import { expect, test } from "vitest";
import { newestSplit } from "../../../offline-trainer/src/matrix/splits.ts";

const groups = Array.from({ length: 12 }, (_, m) => m);
const eligible = new Array<boolean>(12).fill(true);

test("without dates the file's last quarter are targets", () => {
  expect(newestSplit({ groups, eligible }, null)).toEqual({
    sources: [0, 1, 2, 3, 4, 5, 6, 7, 8],
    targets: [9, 10, 11],
  });
});

test("with dates the latest quarter, equal dates in the file's order", () => {
  const dates = groups.map((m) => `2024-0${1 + (m % 4)}-01`); // months 1 2 3 4 1 2 3 4 …
  expect(newestSplit({ groups, eligible }, dates).targets).toEqual([3, 7, 11]);
  expect(
    newestSplit(
      { groups, eligible },
      groups.map(() => "2024-01-01"),
    ).targets,
  ).toEqual([9, 10, 11]);
});

test("a source that replicates one of the newest is dropped, and who can't be a target is on neither side", () => {
  const split = newestSplit({ groups: groups.with(1, 10).with(4, 11), eligible: eligible.with(11, false) }, null);
  expect(split).toEqual({ sources: [0, 2, 3, 5, 6, 7, 8], targets: [9, 10] });
});

test("of few models one is held out", () => {
  expect(newestSplit({ groups: [0, 1], eligible: [true, true] }, null)).toEqual({ sources: [0], targets: [1] });
});
