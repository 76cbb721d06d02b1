import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import fc from "fast-check";
import { expect, it } from "vitest";
import { importLogs } from "../../../../../features/import/fit/import-logs.ts";
import { scoreAt } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { writeLogs } from "../../../../support/lm-eval-logs.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
let runs = 0;

/** Scores of models on the documents of two tasks; null = not asked. */
const leaderboard = fc
  .record({
    models: fc.integer({ min: 1, max: 4 }),
    sizes: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })),
  })
  .chain(({ models, sizes: [a, b] }) =>
    fc.record({
      sizes: fc.constant([a, b] as const),
      weighting: fc.constantFrom("items" as const, "subscenarios" as const),
      rows: fc.array(
        fc.array(fc.option(fc.constantFrom(0, 0.25, 1), { freq: 6 }), { minLength: a + b, maxLength: a + b }),
        { minLength: models, maxLength: models },
      ),
    }),
  );

it("a leaderboard written as logs is imported with the same scores, all equal to the harness's own", async () => {
  await fc.assert(
    fc.asyncProperty(leaderboard, async ({ sizes, weighting, rows }) => {
      const asked = rows.filter((row) => row.some((score) => score !== null));
      fc.pre(asked.length > 0);
      const out = folder.path(`run-${runs++}`);
      asked.forEach((row, m) => {
        const tasks = Object.fromEntries(
          sizes.flatMap((size, t) => {
            const documents = Array.from({ length: size }, (_, id) => id).flatMap((id) => {
              const score = row[t * sizes[0] + id] ?? null;
              return score === null ? [] : [{ id, question: `${t}/${id}?`, score }];
            });
            return documents.length === 0 ? [] : [[`t${t}`, { documents, all: size }] as const];
          }),
        );
        const whole = "t0" in tasks && "t1" in tasks;
        writeLogs(out, {
          model: `Org/m${m}`,
          date: "2026-01-01T00-00-00.000000",
          tasks,
          groups: whole ? { t: { tasks: ["t0", "t1"], weighting } } : {},
        });
      });
      const { matrix, report } = await importLogs(harnessNamed("lm-eval"), [out], {
        metric: parseChoices("metric", []),
        filter: parseChoices("filter", []),
        onDuplicate: "error",
        errors: "harness",
        allowMixed: false,
      });
      const found = new Map(
        matrix.subjects.flatMap((model, m) =>
          matrix.items.map((item, i) => [`${model} ${item.item_id}`, scoreAt(matrix, m, i)]),
        ),
      );
      asked.forEach((row, m) =>
        row.forEach((score, i) => {
          const id = i < sizes[0] ? `t0/${i}` : `t1/${i - sizes[0]}`;
          expect(found.get(`Org/m${m} ${id}`) ?? NaN).toBe(score ?? NaN);
        }),
      );
      expect(report.scores.equal).toBe(report.scores.compared);
    }),
    { numRuns: 40 },
  );
});
