import { setImmediate as turn } from "node:timers/promises";
import { PROVIDERS, resolveBackend } from "anchoreval-trainer/internal/backends/resolve-backend";
import {
  type Audit,
  auditLeaderboard,
  type ItemAudit,
} from "anchoreval-trainer/internal/features/audit/fit/audit-leaderboard";
import {
  auditCsv,
  auditLines,
  type AuditRecord,
  bankRecord,
  copyRecord,
  itemRecord,
  modelRecords,
  scenarioRecord,
} from "anchoreval-trainer/internal/features/audit/fit/audit-records";
import {
  auditWork,
  controlLines,
  negativeControls,
} from "anchoreval-trainer/internal/features/audit/fit/negative-control";
import { auditSummary } from "anchoreval-trainer/internal/features/audit/fit/audit-summary";
import { type AuditedItem, auditedItems } from "anchoreval-trainer/internal/features/audit/fit/findings";
import { readResponses } from "anchoreval-trainer/internal/matrix/read-responses";
import { DEFAULT_DIMS, DEFAULT_SETTINGS, MOST_DIMENSIONS } from "anchoreval-trainer/internal/methods/settings";
import { trainerVersion } from "anchoreval-trainer/internal/matrix/data-digests";
import { WEIGHTINGS } from "anchoreval/internal/core/bundle/names";
import { invalidOption } from "anchoreval/internal/core/errors";
import { option, FORCE_OPTION, stoppableBy, type Command } from "../../cli/src/program/command.ts";
import { FAMILIES_OPTION, readFamilies } from "../../cli/src/options/model-files.ts";
import { fileDigest, readImportFacts, readResponseOptions, RESPONSE_OPTIONS } from "../../cli/src/options/data.ts";
import { WORK_OPTIONS } from "../../cli/src/options/fit.ts";
import { readSettings, setOption, SETTINGS, settingsHelp } from "../../cli/src/options/settings.ts";
import { readOutFile, writeOutFile } from "../../cli/src/program/out.ts";

/** The beginning of files that the command wrote. */
const OWN_FILES = { jsonl: /^\{"record":/, csv: /^rank,item_id,scenario,/ };

const AUDITED = {
  weighting: SETTINGS.weighting,
  dims: option("N", `largest number of latent dimensions (default ${DEFAULT_DIMS})`),
};

export const auditCommand: Command = {
  options: {
    Data: {
      ...RESPONSE_OPTIONS,
      families: {
        ...FAMILIES_OPTION.families,
        description: "lines of model,family: relatives aren't independent evidence (default: read off the names)",
      },
    },
    "What to fit": {
      "held-out": option(
        "SHARE",
        "share of the answers held out for the likelihood; 0 saves a calibration (default 0.1)",
      ),
      permute: option("N", "fit N times each on answers shuffled within items and within models, too, and compare"),
      ...setOption(AUDITED),
    },
    "How to fit": WORK_OPTIONS,
    Output: {
      top: option("N", "items to list of each kind (default 10)"),
      out: option("FILE", "all records as .jsonl, or the items as .csv, or either with .gz"),
      ...FORCE_OPTION,
    },
  },
  appendix: settingsHelp(AUDITED),
  examples: [
    "audit --responses responses.csv.gz --items items.jsonl.gz",
    "audit --responses responses.csv.gz --items items.jsonl.gz --top 30 --out audit.jsonl.gz",
  ],
  async run({ options, output, signal }) {
    const { responses, ...reading } = readResponseOptions(options);
    const settings = readSettings(options, AUDITED);
    const dims = settings.number("dims", { min: 1, max: MOST_DIMENSIONS, integer: true }, DEFAULT_DIMS);
    const heldOut = options.number("held-out", { min: 0, max: 0.5 }, 0.1);
    const shuffles = options.number("permute", { min: 1, max: 1000, integer: true }, 0);
    if (shuffles > 0 && heldOut === 0)
      throw invalidOption("--permute compares what is predicted of held-out answers: leave --held-out above 0");
    const top = options.number("top", { min: 1, integer: true }, 10);
    const seed = options.number("seed", { min: 0, integer: true }, 1);
    const provider = options.oneOf("provider", PROVIDERS, "auto");
    const out = await readOutFile(options, OWN_FILES);
    const facts = await readImportFacts(responses);
    const weighting = settings.oneOf("weighting", WEIGHTINGS, facts.weighting ?? DEFAULT_SETTINGS.weighting);
    const families = await readFamilies(options);
    const { matrix, remarks } = await readResponses(responses, reading);
    for (const remark of remarks) output.remark(remark);
    const work = auditWork(matrix, { dims, heldOut, shuffles });
    const { backend, reason } = await resolveBackend(provider, { work });
    output.remark(reason);
    const stoppable = stoppableBy(signal, "the audit");
    const configuration = { weighting };
    const audit = await output.during("auditing", (onProgress) =>
      stoppable(
        auditLeaderboard(matrix, { configuration, dims, seed, backend, heldOut, ...families, signal, onProgress }),
      ),
    );
    const asked = { configuration, dims, seed, backend, heldOut, shuffles, signal };
    const controls =
      shuffles === 0
        ? []
        : await output.during("shuffling", (onProgress) =>
            stoppable(negativeControls(matrix, { ...asked, onProgress })),
          );
    const items = auditedItems(audit);
    await stoppable(turn());
    if (out !== null)
      await writeOutFile(out.file, out.ending === "csv" ? auditCsv(audit, items) : auditLines(audit, items));
    if (output.json) {
      output.document({
        header: {
          data: await fileDigest(responses),
          version: trainerVersion(),
          provider: reason,
          weighting,
          dims,
          seed,
          heldOut,
          families: audit.families,
        },
        ...document(audit, items),
        ...(shuffles > 0 && { controls }),
      });
      return;
    }
    for (const line of auditSummary(audit, items, top)) output.line(line);
    for (const line of controlLines(controls)) output.line(line);
    if (out === null) output.remark("--out FILE.jsonl saves every item with all its statistics");
    else output.remark(`written: ${out.file}`);
  },
};

/** The document of `--json`: of the items, those with findings. */
function document(audit: Audit, items: readonly AuditedItem<ItemAudit>[]): object {
  const audits = audit.scenarios.map((scenario) => scenario.audit);
  const plain = (record: AuditRecord): object =>
    Object.fromEntries(Object.entries(record).filter(([name]) => name !== "record"));
  return {
    banks: audits.map((scenario) => plain(bankRecord(scenario))),
    scenarios: audits.map((scenario) => plain(scenarioRecord(scenario))),
    items: items.filter(({ rank }) => rank !== null).map((item) => plain(itemRecord(item, audit.matrix.items))),
    pairs: audit.copies.map((copy) => plain(copyRecord(copy, audit.matrix.items))),
    models: audits.flatMap((scenario) => modelRecords(scenario).map(plain)),
  };
}
