import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentHash, encodeBundle, type AnchorRecord, type BundleContent } from "anchoreval/bundle";
import { documentContent } from "anchoreval/internal/logs/lm-eval/read-samples";
import { sampleContent } from "./sample-bundle.ts";
import type { LoggedDocument } from "./lm-eval-logs.ts";

/** Tasks of the sample bundle's scenarios: "alpha" is one, "beta/γ" a group of two. */
export function taskOf(anchor: Pick<AnchorRecord, "scenario" | "subscenario">): string {
  return anchor.scenario === "alpha" ? "alpha" : `beta_${anchor.subscenario!}`;
}

/** The document of an item, as the log generator of examples/lm-eval asks it. */
export function documentOf(task: string, id: number, score: number): LoggedDocument {
  return { id, question: `${task}, document ${id}?`, score };
}

/** The content hash that the generator's document has. */
function hashOf(task: string, id: number): string {
  const choices = ["A", "B", "C", "D"].map((letter) => `${letter}-${id}`);
  const document = { question: `${task}, document ${id}?`, subject: task, choices, answer: id % 4 };
  return contentHash(documentContent(document, String(id % 4)));
}

/** The sample bundle, its anchors with task, document and hash. */
export function loggedContent(protocol: BundleContent["manifest"]["protocol"] = {}): BundleContent {
  const content = sampleContent();
  const named = <T extends AnchorRecord>(anchor: T): T => {
    const task = taskOf(anchor);
    return { ...anchor, task, doc_id: anchor.index, hash: hashOf(task, anchor.index) };
  };
  return {
    ...content,
    manifest: { ...content.manifest, protocol },
    scenarios: content.scenarios.map((scenario) => ({ ...scenario, anchors: scenario.anchors.map(named) })),
  };
}

/** The bundle of a benchmark whose items are named by a field of their documents: no place and no hash is known. */
export function withFieldIds(content: BundleContent): BundleContent {
  const scenarios = content.scenarios.map((scenario) => ({
    ...scenario,
    anchors: scenario.anchors.map((anchor) => {
      const own = { ...anchor };
      delete own.doc_id;
      delete own.hash;
      return own;
    }),
  }));
  return { ...content, scenarios };
}

/** Writes a bundle into a folder. */
export function writeBundle(folder: string, content: BundleContent): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of encodeBundle(content)) writeFileSync(join(folder, name), bytes);
  return folder;
}
