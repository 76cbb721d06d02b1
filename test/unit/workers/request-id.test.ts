import { expect, test } from "vitest";
import { requestIdOf } from "../../../workers/src/observe/request-id.ts";

test.each(["a", "job-17.3", "0af7651916cd43dd8448eb211c80319c", "a:b_c", "x".repeat(64)])("%s is kept", (given) => {
  expect(requestIdOf(given)).toBe(given);
});

test.each([undefined, "", "x".repeat(65), "a b", 'a"b', "a\nb", "é", "<script>", "a,b"])(
  "%j makes way for a new one",
  (given) => {
    expect(requestIdOf(given)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(requestIdOf(given)).not.toBe(requestIdOf(given));
  },
);
