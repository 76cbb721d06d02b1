import { expectTypeOf, test } from "vitest";
import type * as trainer from "../../../offline-trainer/browser/messages.ts";
import type * as page from "../../../workers/page/views/fit.ts";

test("the page and its worker mean the same by their messages", () => {
  expectTypeOf<page.FitRequest>().toEqualTypeOf<trainer.FitRequest>();
  expectTypeOf<page.FitReply>().toEqualTypeOf<trainer.FitReply>();
});
