import { blobChunks } from "anchoreval/internal/tables/chunk-lines";
import { parseAnswers } from "anchoreval/internal/tables/parse-answers";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const TEXT = "item_id,score\nγ/1,1\ngsm/2,0.5\ngsm/3,\n";

test.each([
  ["plain", new Blob([TEXT])],
  ["gzip", new Blob([gzipSync(TEXT)])],
  ["with a byte order mark", new Blob(["\ufeff", TEXT])],
])("a file that a page was given: %s", async (_, blob) => {
  const { answers } = await parseAnswers("answers.csv", blobChunks("answers.csv", blob));
  expect([...answers]).toEqual([
    ["γ/1", 1],
    ["gsm/2", 0.5],
    ["gsm/3", null],
  ]);
});

test.each([
  ["empty", new Blob([]), "the file is empty"],
  ["damaged gzip", new Blob([gzipSync(TEXT).subarray(0, 20)]), "damaged, or cut short"],
  ["a zip archive", new Blob([Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0, 0, 0)]), "the file is a zip archive"],
  [
    "not UTF-8",
    new Blob(["item_id,score\na,1\n", Uint8Array.of(0x62, 0xff, 0x2c, 0x31)]),
    "row 3: the text is not UTF-8",
  ],
  ["without a line's end", new Blob([gzipSync(Buffer.alloc((1 << 26) + 1, "x"))]), "at most 64 MiB here"],
  ["of lines alone", new Blob([gzipSync(Buffer.alloc(5 << 20, "\n"))]), "at most 4194304 rows here"],
])("%s is refused in words", async (_, blob, words) => {
  const error = await parseAnswers("answers", blobChunks("answers", blob)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "invalid_data", message: expect.stringContaining(words) as string });
});
