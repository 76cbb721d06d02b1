import { idProblem } from "anchoreval/internal/core/bundle/names";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { scoreOnScale } from "../../sdk/core/numeric/score-bounds.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readLongTable } from "../../features/import/fit/read-long-table.ts";
import { readResponses } from "../../offline-trainer/src/matrix/read-responses.ts";
import { writeItems, writeWideCsv } from "../../offline-trainer/src/matrix/write-tables.ts";
import {
  groupItems,
  responseMatrix,
  type ResponseMatrix,
  scoreAt,
} from "../../offline-trainer/src/matrix/response-matrix.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { WHOLE } from "../support/whole.ts";

const folder = tempFolder();

/** Any text that may be an id, with the characters that tables find hard made frequent. */
const arbId = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }),
    fc.string({
      minLength: 1,
      maxLength: 6,
      unit: fc.constantFrom(
        '"',
        ",",
        "'",
        ";",
        " ",
        "/",
        "é",
        "模",
        "\u2028",
        "\ufeff",
        "a",
        "0",
        "\\",
        "😀",
        "{",
        "[",
      ),
    }),
    fc.constantFrom("__proto__", "constructor", "10", "2", "model", "item_id", "responses", "NaN", "-"),
  )
  .map((text) => text.normalize("NFC"))
  // White space at an end is refused: test/unit/features/borders/fit/.
  .filter(
    (text) => idProblem(text) === null && !/^[\s\u200b-\u200d\u2060\ufeff]|[\s\u200b-\u200d\u2060\ufeff]$/u.test(text),
  );

const arbScore = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1) },
  fc.float({ min: 0, max: 1, noNaN: true }).map(scoreOnScale),
  fc.constantFrom(0.1, 0.5, 1 / 3, NaN, NaN),
);

/** Matrices without an empty row or column, grouped. */
const arbMatrix: fc.Arbitrary<ResponseMatrix> = fc
  .record({
    models: fc.uniqueArray(arbId, { minLength: 5, maxLength: 8 }),
    // Items called both item_id and score would make a wide header a long one.
    ids: fc.uniqueArray(
      arbId.filter((id) => id !== "score"),
      { minLength: 1, maxLength: 10 },
    ),
    scenarios: fc.array(arbId, { minLength: 1, maxLength: 3 }),
    binary: fc.boolean(),
    seed: fc.nat(),
  })
  .chain(({ models, ids, scenarios, binary, seed }) => {
    const random = createRandom(seed);
    const pick = (): string => scenarios[Math.floor(random.next() * scenarios.length)]!;
    const items = ids.map((item_id) => ({
      item_id,
      scenario: pick(),
      ...(random.next() < 0.5 && { subscenario: pick() }),
    }));
    const count = models.length * items.length;
    return fc
      .array(binary ? fc.constantFrom(0, 1, NaN) : arbScore, { minLength: count, maxLength: count })
      .map((values) => {
        const scores = Float64Array.from(values);
        const set = (m: number, i: number): void => {
          if (Number.isNaN(scores[m * items.length + i])) scores[m * items.length + i] = 1;
        };
        models.forEach((_, m) => set(m, m % items.length));
        items.forEach((_, i) => set(i % models.length, i));
        return groupItems(responseMatrix(models, items, scores));
      });
  });

function withoutNegativeZero(matrix: ResponseMatrix): ResponseMatrix {
  return { ...matrix, scores: matrix.scores.map((score) => score + 0) };
}

/** Scores by id: long forms do not fix an order. */
function byId(matrix: ResponseMatrix): Map<string, number> {
  return new Map(
    matrix.subjects.flatMap((model, m) =>
      matrix.items.map(({ item_id: id }, i): [string, number] => [JSON.stringify([model, id]), scoreAt(matrix, m, i)]),
    ),
  );
}

test("a matrix reads back as it was written: scores, missing ones, ids, items", async () => {
  await fc.assert(
    fc.asyncProperty(arbMatrix, fc.boolean(), async (any, gzip) => {
      const matrix = withoutNegativeZero(any);
      const responses = folder.path(gzip ? "r.csv.gz" : "r.csv");
      const items = folder.path("i.jsonl.gz");
      await writeWideCsv(responses, matrix);
      await writeItems(items, matrix.items);
      const read = await readResponses(responses, { items });
      expect(read.matrix).toEqual(matrix);
    }),
  );
});

test("wide, long and py-irt's form of the same matrix read equal", async () => {
  await fc.assert(
    fc.asyncProperty(arbMatrix, fc.nat(), async (any, seed) => {
      const matrix = withoutNegativeZero(any);
      const items = folder.path("items.jsonl");
      await writeItems(items, matrix.items);
      const json = (m: number, i: number): number | null => {
        const score = scoreAt(matrix, m, i);
        return Number.isNaN(score) ? null : score;
      };
      const random = createRandom(seed);
      const pairs = matrix.subjects
        .flatMap((model, m) => matrix.items.map(({ item_id }, i) => ({ model, item_id, score: json(m, i) })))
        .map((pair) => ({ pair, key: random.next() }))
        .sort((left, right) => left.key - right.key)
        .map(({ pair }) => pair);
      const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
      const forms = {
        "long.jsonl": pairs.map((pair) => JSON.stringify(pair)),
        "long.csv": [
          "score,model,item_id",
          ...pairs.map(({ model, item_id, score }) => `${score ?? ""},${cell(model)},${cell(item_id)}`),
        ],
        "py-irt.jsonl": matrix.subjects.map(
          (model, m) =>
            `{"subject_id":${JSON.stringify(model)},"responses":{${matrix.items
              .map(({ item_id }, i) => `${JSON.stringify(item_id)}:${JSON.stringify(json(m, i))}`)
              .join()}}}`,
        ),
      };
      for (const [name, lines] of Object.entries(forms)) {
        const read = await readResponses(folder.write(name, lines.join("\n")), { items });
        expect(read.matrix.items, name).toEqual(matrix.items);
        expect(byId(read.matrix), name).toEqual(byId(matrix));
      }
    }),
    { numRuns: WHOLE ? 60 : 25 },
  );
});

test("a long table whose columns are named has the scores, and says of items what it was given", async () => {
  await fc.assert(
    fc.asyncProperty(arbMatrix, async (any) => {
      const matrix = withoutNegativeZero(any);
      const rows = matrix.subjects.flatMap((llm, m) =>
        matrix.items.map((item, i) => {
          const score = scoreAt(matrix, m, i);
          return { ...item, subscenario: item.subscenario ?? null, llm, acc: Number.isNaN(score) ? null : score };
        }),
      );
      const path = folder.write("named.jsonl", rows.map((row) => JSON.stringify(row)).join("\n"));
      const names = { scenario: "scenario", subscenario: "subscenario" };
      const read = await readLongTable(path, { model: "llm", item: "item_id", score: "acc", ...names });
      expect(read.matrix.items).toEqual(matrix.items);
      expect(byId(read.matrix)).toEqual(byId(matrix));
    }),
    { numRuns: WHOLE ? 60 : 25 },
  );
});
