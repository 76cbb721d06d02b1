import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect } from "vitest";
import { runCommand } from "./run-command.ts";
import type { TempFolder } from "./temp-folder.ts";

/** The form that {@link exportForm} writes and {@link expectSameEstimate} answers. */
const FORM = "20";

/** Models of a board, each with the items that it solves, of some of growing difficulty. */
export function solvingModels(ids: readonly string[]): Map<string, ReadonlySet<string>> {
  const random = createRandom(1);
  const chance = (m: number, k: number): number => 1 / (1 + Math.exp((6 * k) / ids.length - 3 - (m - 12) / 4));
  return new Map(
    Array.from({ length: 24 }, (_, m) => [`model-${m}`, new Set(ids.filter((__, k) => random.next() < chance(m, k)))]),
  );
}

/** A bundle quiz@1.0.0 with forms of 10 and 20 items, fitted on a harness's logs as `import` reads them. @returns its folder */
export async function fitLogs(folder: TempFolder, harness: string, logs: string, name = "bundle"): Promise<string> {
  const [board, bundle] = [folder.path(`${name}-board`), folder.path(name)];
  await succeed("import", "--from", harness, logs, "--out", board);
  const tables = ["--responses", `${board}/responses.csv.gz`, "--items", `${board}/items.jsonl.gz`];
  await succeed("fit", ...tables, "--anchors", "10,20", "--name", "quiz@1.0.0", "--out", bundle);
  return bundle;
}

/** Exports a bundle's form of 20 items. @returns what is printed */
export async function exportForm(bundle: string, to: string, out: string): Promise<string> {
  return succeed("export", "--bundle", bundle, "--form", FORM, "--to", to, "--out", out);
}

/** Estimates by a run's logs and by plain answers, which must agree, and returns the warnings about the logs. */
export async function expectSameEstimate(
  bundle: string,
  { harness, logs, answers }: { readonly harness: string; readonly logs: string; readonly answers: string },
): Promise<string[]> {
  const estimate = async (...more: string[]): Promise<{ score: number; interval: object; warnings: Warning[] }> =>
    JSON.parse(await succeed("estimate", "--bundle", bundle, "--form", FORM, ...more, "--json")) as never;
  const [logged, plain] = [await estimate("--from", harness, logs), await estimate(answers)];
  expect([logged.score, logged.interval]).toEqual([plain.score, plain.interval]);
  expect(logged.score).toBeGreaterThan(0);
  return logged.warnings.filter(({ code }) => !plain.warnings.some((other) => other.code === code)).map(({ code, message }) => `${code}: ${message}`); // prettier-ignore
}

interface Warning {
  readonly code: string;
  readonly message: string;
}

async function succeed(...argv: string[]): Promise<string> {
  const { code, out, err } = await runCommand(...argv);
  expect(`${argv[0]}: ${code} ${code === 0 ? "" : err}`).toBe(`${argv[0]}: 0 `);
  return out;
}
