import { loadBundle } from "anchoreval";
import { encodeBundle } from "anchoreval/bundle";
import { notedPrices } from "anchoreval/internal/features/prices/sdk/bundle-prices";
import type { Manifest } from "anchoreval/internal/core/bundle/manifest";
import { listedForm, typicalError } from "anchoreval/internal/words/measured-forms";
import { loadBundle as loadNamed } from "anchoreval/node";
import { bundleCard } from "anchoreval/internal/features/publishing/sdk/bundle-card";
import { expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { sampleBundle, sampleContent } from "../../../../support/sample-bundle.ts";

const sample = await loadBundle(memorySource(sampleBundle()));
const card = (change: Partial<Manifest>): string =>
  bundleCard({ ...sample, manifest: { ...sample.manifest, ...change } });

test("says what the bundle knows: items, models, data, protocol, the best seen, errors of every form", () => {
  const { manifest, scenarios } = sample;
  const text = card({
    description: "A quiz",
    sources: { models: 12, names: null, note: "newest of 2026-01" },
    data: { source: "quiz.example.com", licence: "MIT" },
    protocol: { harness: "lm-eval", shots: 5, ids: "question_id" },
  });
  const items = manifest.scenarios.reduce((sum, own) => sum + own.items, 0);
  expect(text).toMatch(
    new RegExp(`^# sample 1\\.0\\.0\n\nA quiz\\. ${items} items in 2 scenarios, 12 models, newest of 2026-01\\.\n`),
  );
  expect(text).toContain("- **Licence:** MIT.\n- **Source:** quiz.example.com.\n");
  expect(text).toContain("- **Protocol:** harness lm-eval, shots 5. ");
  expect(text).toContain("- **Ids:** the field `question_id` of a document.\n");
  for (const { id, sourceScores } of scenarios.values())
    expect(text).toContain(`${(100 * Math.max(...sourceScores)).toFixed(1)} points in ${id}`);
  for (const { id } of manifest.forms) expect(text).toContain(`| models like those seen | ${id} | `);
});

test("what isn't known isn't said", () => {
  const bare = card({ description: null, data: { source: null, licence: null }, protocol: {} });
  expect(bare).not.toMatch(/null|undefined|NaN|\*\*Licence|\*\*Source|\*\*Protocol/);
  expect(card({ data: { source: null, licence: "MIT" } })).toContain("- **Licence:** MIT.\n");
  const forms = sample.manifest.forms.map((form) => ({
    ...form,
    overall: null,
    scenarios: Object.fromEntries(Object.entries(form.scenarios).map(([id, own]) => [id, { ...own, together: null, measured: { interpolation: null, extrapolation: null } }])), // prettier-ignore
  }));
  expect(card({ forms })).toContain("Errors were not measured");
});

test("says how models above the best seen fare, beside those like the seen, where it was measured", () => {
  const line = (text: string): string => /^- \*\*Above the best seen\*\*, (.*)$/m.exec(text)![1]!;
  const form = listedForm(sample.manifest);
  const [stronger, like] = (["extrapolation", "interpolation"] as const).map((split) =>
    (100 * typicalError(form, split)!).toFixed(1),
  );
  expect(line(card({}))).toContain(
    `of ${form.items} items err by ${stronger} points where models are stronger than any seen, by ${like} where they are like those seen.`,
  );
  const weak = sample.manifest.forms.map((own) => ({ ...own, overall: null }));
  expect(line(card({ forms: weak }))).toMatch(/points in \S+, a new model may well be\. Estimates warn of it\.$/);
});

test("ids that are alike are named together, and a bar in an id doesn't end a cell", () => {
  const text = card({ protocol: { "ids/a": "source", "ids/b": "source", "ids/c": "doc_id" } });
  expect(text).toContain("a and b: the source's own, which no harness can be asked for; c: the document `doc_id`");
  const forms = sample.manifest.forms.map((form) => ({ ...form, id: `${form.id}|x` }));
  expect(card({ forms, defaultForm: forms[0]!.id })).toContain(`| ${forms[0]!.id.replace("|", "\\|")} |`);
});

test("the form of exactly 50 items tells a bundle's error; where there is none, the default form", async () => {
  expect(listedForm((await loadNamed("evalplus")).manifest)).toMatchObject({ items: 50 });
  expect(listedForm(sample.manifest).form.id).toBe(sample.manifest.defaultForm);
});

test("begins with how sure as many items are, and what they cost of the whole, where prices are known", async () => {
  const content = sampleContent();
  const items = content.scenarios.flatMap((scenario) => scenario.items);
  const all = (value: number) => new Map(items.map(({ item_id: id }) => [id, value]));
  const notes = notedPrices(content, { unit: "usd", items: all(0.5), beside: [{ unit: "seconds", items: all(3600) }] });
  const fit = { ...content.manifest.fit, prices: notes };
  const priced = await loadBundle(memorySource(encodeBundle({ ...content, manifest: { ...content.manifest, fit } })));
  const { items: asked } = listedForm(priced.manifest);
  const line = (text: string): string => /^- \*\*In short:\*\* (.*)$/m.exec(text)![1]!;
  const [dear, plain] = [line(bundleCard(priced)), line(card({}))];
  expect(plain).toMatch(
    new RegExp(`^${asked} of ${items.length} items: ± \\d+\\.\\d points for a model like those seen\\.$`),
  );
  expect(dear).toBe(
    `${plain.slice(0, -1)}, ${asked / 2} of ${items.length / 2} usd, ${asked} of ${items.length} hours.`,
  );
});
