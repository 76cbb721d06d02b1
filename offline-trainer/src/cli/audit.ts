import { setImmediate as turn } from "node:timers/promises";
import type { Command, OptionReader } from "anchoreval/cli";
import { AnchorEvalError } from "anchoreval/core";
import { auditLeaderboard, type Audit, type ItemAudit } from "../extensions/audit/audit-leaderboard.ts";
import {
  auditCsv,
  auditLines,
  type AuditRecord,
  bankRecord,
  copyRecord,
  itemRecord,
  modelRecords,
  scenarioRecords,
} from "../extensions/audit/audit-records.ts";
import { auditSummary } from "../extensions/audit/audit-summary.ts";
import { auditedItems, type AuditedItem } from "../extensions/audit/findings.ts";
import { PROVIDERS, resolveBackend } from "../backends/resolve-backend.ts";
import { recommended } from "../methods/method.ts";
import { DEFAULT_SETTINGS, DEFAULT_DIMS } from "../methods/settings.ts";
import { readResponses } from "../matrix/read-responses.ts";
import { trainerVersion } from "../trainer-version.ts";
import { readFamilies } from "./families-file.ts";
import { fileDigest } from "./file-digest.ts";
import { FIT_OPTIONS, readMethod } from "./fit-options.ts";
import { readImportFacts } from "./import-facts.ts";
import { checkOutFile, writeOutFile } from "./out-file.ts";
import { RESPONSE_OPTIONS, readResponseOptions } from "./response-options.ts";

export const auditCommand: Command = {
  name: "audit",
  summary: "items to look at by hand: likely wrong keys, copies, misfit; and what the calibration is worth",
  options: {
    ...RESPONSE_OPTIONS,
    out: { type: "string", value: "FILE", description: "everything, as .jsonl, or the items as .csv; .gz is gzip" },
    top: { type: "string", value: "N", description: "items listed of each kind (default 10)" },
    families: {
      type: "string",
      value: "FILE",
      description: "lines of model,family: relatives are no independent witnesses (default: by the names)",
    },
    dims: { type: "string", value: "N", description: `latent dimensions at most (default ${DEFAULT_DIMS})` },
    "held-out": {
      type: "string",
      value: "SHARE",
      description: "share of the answers held out for the likelihood; 0 saves a calibration (default 0.1)",
    },
    weighting: FIT_OPTIONS.weighting,
    joint: FIT_OPTIONS.joint,
    provider: FIT_OPTIONS.provider,
    seed: { type: "string", value: "N", description: "seed of all draws (default 1)" },
  },
  async run({ options, output, signal }) {
    const { responses, ...reading } = readResponseOptions(options);
    const dims = options.number("dims", { min: 1, max: 32, integer: true }, DEFAULT_DIMS);
    const heldOut = options.number("held-out", { min: 0, max: 0.5 }, 0.1);
    const top = options.number("top", { min: 1, integer: true }, 10);
    const seed = options.number("seed", { min: 0, integer: true }, 1);
    const provider = options.oneOf("provider", PROVIDERS, "auto");
    const out = await readOut(options);
    const { weighting, joint } = (await readMethod(options, await readImportFacts(responses), recommended)).settings;
    const families = await readFamilies(options);
    const { matrix, remarks } = await readResponses(responses, reading);
    for (const remark of remarks) output.remark(remark);
    const { backend, reason } = await resolveBackend(provider);
    output.remark(reason);
    const bar = output.progress("auditing", 1);
    let audit: Audit;
    try {
      audit = await auditLeaderboard(matrix, {
        configuration: { ...DEFAULT_SETTINGS, weighting, joint },
        dims,
        seed,
        backend,
        heldOut,
        ...families,
        signal,
        onProgress: (done, of, note) => bar.update(done / of, note),
      });
    } catch (error) {
      if (signal.aborted) throw new AnchorEvalError("aborted", "the audit was stopped; nothing was written");
      throw error;
    } finally {
      bar.stop();
    }
    const items = auditedItems(audit);
    await turn();
    if (signal.aborted) throw new AnchorEvalError("aborted", "the audit was stopped; nothing was written");
    if (out !== null) await writeOutFile(out.file, out.csv ? auditCsv(audit, items) : auditLines(audit, items));
    if (output.json) {
      output.document({
        header: {
          data: await fileDigest(responses),
          version: trainerVersion(),
          provider: reason,
          weighting,
          joint,
          dims,
          seed,
          heldOut,
          families: audit.families,
        },
        ...document(audit, items),
      });
      return 0;
    }
    for (const line of auditSummary(audit, items, top)) output.line(line);
    if (out === null) output.remark("--out FILE.jsonl saves every item with all its statistics");
    else output.remark(`everything in ${out.file}`);
    return 0;
  },
};

async function readOut(options: OptionReader): Promise<{ file: string; csv: boolean } | null> {
  const file = options.text("out");
  if (file === undefined) return null;
  const ending = /\.(jsonl|csv)(\.gz)?$/.exec(file.toLowerCase())?.[1];
  if (ending === undefined)
    throw new AnchorEvalError(
      "invalid_option",
      `--out is a file that ends in .jsonl, .csv or one of these and .gz; got ${file}`,
    );
  await checkOutFile("--out", file);
  return { file, csv: ending === "csv" };
}

/** What `--json` prints: the items with findings, not the others. */
function document(audit: Audit, items: readonly AuditedItem<ItemAudit>[]): object {
  const banks = audit.banks.map((bank) => bank.audit);
  const plain = (record: AuditRecord): object =>
    Object.fromEntries(Object.entries(record).filter(([name]) => name !== "record"));
  return {
    banks: banks.map((bank) => plain(bankRecord(bank))),
    scenarios: banks.flatMap((bank) => scenarioRecords(bank).map(plain)),
    items: items.filter(({ rank }) => rank !== null).map((item) => plain(itemRecord(item, audit.matrix.items))),
    pairs: audit.copies.map((copy) => plain(copyRecord(copy, audit))),
    models: banks.flatMap((bank) => modelRecords(bank).map(plain)),
  };
}
