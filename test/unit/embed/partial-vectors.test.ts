import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { encodeTexts } from "../../../offline-trainer/src/embed/encode-texts.ts";
import { openPartialVectors } from "../../../offline-trainer/src/embed/partial-vectors.ts";
import type { SentenceEncoder } from "../../../offline-trainer/src/embed/sentence-encoder.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
/** Lengths 1 to 3: batches of 32 and fewer. */
const TEXTS = Array.from({ length: 150 }, (_, i) => ({
  ids: Array.from({ length: 1 + (i % 3) }, (_, k) => (i * 7 + k) % 50),
  cut: false,
}));

/** Vectors that depend on the whole batch, as an int8 encoder's may; counts the texts that it was asked for. */
function batchEncoder(stopAfter = Infinity, stop = new AbortController()) {
  let texts = 0;
  const encoder: SentenceEncoder = {
    encode(batch) {
      texts += batch.length;
      if (texts >= stopAfter) stop.abort();
      const shift = batch.flat().reduce((sum, id) => sum + id, 0) / 1e4;
      return Promise.resolve({
        width: 2,
        values: Float32Array.from(batch.flatMap((ids) => [ids[0]! + shift, ids.length - shift])),
      });
    },
    close: () => Promise.resolve(),
  };
  return { encoder, signal: stop.signal, texts: () => texts };
}

const whole = await encodeTexts(TEXTS, batchEncoder().encoder);

test.each([0, 1, 7, 8 * 20 + 3])("a stopped encoding goes on to the same vectors, %i bytes cut off", async (cut) => {
  const file = folder.path(`vectors-${cut}.npy`);
  const first = batchEncoder(70);
  const partial = await openPartialVectors(file, "k");
  expect(partial).toMatchObject({ found: null, stale: false });
  const { signal } = first;
  const stopped = await rejection(encodeTexts(TEXTS, first.encoder, { partial, signal }));
  expectRefusal(stopped, "aborted", `${first.texts()} texts are kept in ${file}.partial`);
  const bytes = readFileSync(partial.file);
  writeFileSync(partial.file, bytes.subarray(0, bytes.length - cut));

  const second = batchEncoder();
  const again = await openPartialVectors(file, "k");
  expect(again.found!.values.length).toBe(2 * (first.texts() - Math.ceil(cut / 8)));
  expect(await encodeTexts(TEXTS, second.encoder, { partial: again })).toEqual(whole);
  if (cut === 0) expect(first.texts() + second.texts()).toBe(TEXTS.length);
  else expect(first.texts() + second.texts()).toBeLessThanOrEqual(TEXTS.length + 32);

  const third = batchEncoder();
  const done = await openPartialVectors(file, "k");
  expect(await encodeTexts(TEXTS, third.encoder, { partial: done })).toEqual(whole);
  expect(third.texts()).toBe(0);
  await done.remove();
  expect(existsSync(done.file)).toBe(false);
});

test.each([
  ["of another key", (bytes: Buffer) => bytes],
  ["that is none", () => Buffer.from("vectors")],
  ["that is empty", () => Buffer.from("")],
])("a file %s counts for nothing, and is replaced", async (name, change) => {
  const file = folder.path(`${name}.npy`);
  const old = await openPartialVectors(file, "old");
  await old.keep({ width: 2, values: Float32Array.of(1, 2, 3, 4) }, 0);
  writeFileSync(old.file, change(readFileSync(old.file)));
  const own = await openPartialVectors(file, "new");
  expect(own).toMatchObject({ found: null, stale: true });
  expect(await encodeTexts(TEXTS, batchEncoder().encoder, { partial: own })).toEqual(whole);
  expect((await openPartialVectors(file, "new")).found!.values.length).toBe(2 * TEXTS.length);
});

test("a folder in its place is refused by name", async () => {
  folder.write("taken.npy.partial/inside", "");
  expectRefusal(await rejection(openPartialVectors(folder.path("taken.npy"), "k")), "unavailable", "taken.npy.partial");
});
