import fc from "fast-check";
import { expect, test } from "vitest";
import { countsOf, networkOf } from "../../../workers/src/auth/rate-limit.ts";

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:2::6", "2001:db8:1:2::/64"],
  ["2001:db8::7", "2001:db8:0:0::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
])("%s is of %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test("an IPv6 address is of the network of its first 64 bits, however it is written", () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(
      fc.array(group, { minLength: 8, maxLength: 8 }),
      fc.array(group, { minLength: 4, maxLength: 4 }),
      (all, rest) => {
        const text = (groups: number[], width: number): string =>
          groups.map((value) => value.toString(16).padStart(width, "0")).join(":");
        const neighbour = [...all.slice(0, 4), ...rest];
        expect(networkOf(text(neighbour, 4))).toBe(networkOf(text(all, 1)));
        const other = all.with(3, all[3]! ^ 1);
        expect(networkOf(text(other, 1))).not.toBe(networkOf(text(all, 1)));
      },
    ),
  );
});

test.each([
  [{ models: 0, answers: 0 }, 0],
  [{ models: 1, answers: 0 }, 0],
  [{ models: 1, answers: 400 }, 0],
  [{ models: 1, answers: 401 }, 1],
  [{ models: 100, answers: 0 }, 19],
  [{ models: 100, answers: 10_000 }, 39],
  [{ models: 10_000, answers: 1_000_000 }, 39],
  [{ models: 0, bytes: 8000 }, 0],
  [{ models: 0, bytes: 20_001 }, 2],
])("%j is counted %d times more", (work, counts) => {
  expect(countsOf(work)).toBe(counts);
});
