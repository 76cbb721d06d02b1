import { AnchorEvalError } from "anchoreval";
import { readAnswers } from "anchoreval/node";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readLongTable } from "../../features/import/fit/read-long-table.ts";
import { readResponses } from "../../offline-trainer/src/matrix/read-responses.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder();
const readNamed = (path: string): Promise<unknown> =>
  readLongTable(path, { model: "model", item: "item_id", score: "score" });

/** Text made of the pieces of good files, and bytes of any kind. */
const arbContent = fc.oneof(
  fc
    .array(
      fc.constantFrom("model,", "item_id,", "score", "a", "b", "1", "0", "0.5", ",", '"', "\n", "\r\n", "{", "}", ":", "[", "]", '"subject_id":"a"', '"responses":{"x":1}', '"item_id":"x"', '"score":1', '"model":"m"', "null", "\ufeff"), // prettier-ignore
      { maxLength: 30 },
    )
    .map((parts) => Buffer.from(parts.join(""))),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc
    .uint8Array({ maxLength: 40 })
    .map((bytes) => Buffer.concat([Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3), bytes])),
);

test.each(["f.csv", "f.jsonl", "f.json", "f"])("any content of %s is read, or refused by name", async (name) => {
  await fc.assert(
    fc.asyncProperty(arbContent, async (content) => {
      const path = folder.write(name, content);
      for (const read of [readResponses, readAnswers, readNamed]) {
        const error: unknown = await read(path).then(
          () => null,
          (reason: unknown) => reason,
        );
        if (error === null) continue;
        expect(error).toBeInstanceOf(AnchorEvalError);
        expect((error as AnchorEvalError).code).toBe("invalid_data");
        expect((error as AnchorEvalError).message.startsWith(`${path}: `)).toBe(true);
        expect((error as AnchorEvalError).issues[0]!.path[0]).toBe(path);
      }
    }),
  );
});
