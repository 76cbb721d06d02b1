import { stat } from "node:fs/promises";
import { fileBound, readManifest } from "anchoreval/internal/bundles/read-file";
import { requestBytes } from "anchoreval/internal/bundles/request";
import { LOG_FILE, TRUST_FILE } from "anchoreval/internal/core/bundle/names";
import { decodeJson } from "anchoreval/internal/core/bundle/schema";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { folderStore } from "anchoreval/internal/node/folder";
import { type BundleIndex, parseIndex } from "anchoreval/internal/bundles/bundle-index";
import { encodeJson } from "anchoreval/internal/bundles/bundle-store";
import {
  headOf,
  type LogHead,
  parseLog,
  requireHead,
  requireIndexed,
} from "anchoreval/internal/bundles/publication-log";
import { parseIndexStatement, parseTrustFile } from "anchoreval/internal/features/trust/sdk/statements";
import { counted, recordTable } from "anchoreval/internal/words/figures";
import { type Command, option } from "../../../cli/src/program/command.ts";
import { openBundle, readPolicy } from "../../../cli/src/bundles/open-bundle.ts";

export const verifyCommand: Command = {
  operands: { usage: "PLACE", option: "at" },
  options: {
    Data: {
      at: option(
        "PLACE",
        "where a benchmark is published: its address on a Worker (…/v1/bundles/quiz) or a static host (…/bundles/quiz), or its folder",
        { required: true },
      ),
      head: option("HEAD", "what verify printed before, of the same benchmark: the log has to go on from there"),
    },
  },
  examples: ["verify https://evals.example.com/v1/bundles/quiz", "verify public/bundles/quiz --head 7:sha256:9f2b…"],
  async run({ options, output, signal }) {
    const place = options.required("at").replace(/\/+$/, "");
    const pinned = parseHead(options.text("head"));
    const read = await readerOf(place, signal);
    // Whatever names a head is read before the log, which may have gone on since.
    const [index, signed] = await Promise.all([readIndex(place, read), read(TRUST_FILE)]);
    const name = `${place}/${LOG_FILE}`;
    const log = await parseLog((await read(LOG_FILE)) ?? new Uint8Array(), name);
    if (log.entries.length === 0 && !index.log && !pinned)
      throw new AnchorEvalError("not_found", `${name} isn't there: the next publication begins it`);
    requireIndexed(log, index, name);
    const statement = signed && parseTrustFile(signed)?.index;
    const sealed = statement && parseIndexStatement(statement)?.log;
    if (sealed) requireHead(log, sealed, name, "the signed index");
    if (pinned) requireHead(log, pinned, name, "--head");
    const signedVersions = await requireSigned(place, index, signal);
    const { entries, head } = headOf(log)!;
    const ahead = entries - (index.log?.entries ?? entries);
    output.result({ entries, head, ahead, signed: signedVersions, log: log.entries }, [
      ...recordTable(log.entries, [
        ["", "r", ({ entry }) => String(entry)],
        ["time", "l", ({ time }) => time ?? "not known"],
        ["", "l", ({ action }) => action],
        ["version", "l", ({ version }) => version],
        ["by", "l", ({ publisher }) => publisher ?? "not known"],
        ["reason", "l", ({ reason }) => reason ?? ""],
      ]),
      "",
      ...(ahead > 0
        ? [
            `The last ${ahead} of them the index doesn't know yet: a publication is under way or broke off, or an older index was put back.`,
          ]
        : []),
      ...(signedVersions === null
        ? []
        : [
            `Each of the ${counted(signedVersions, "version")} that it offers is signed as ANCHOREVAL_TRUSTED_KEYS asks.`,
          ]),
      `${name} is whole, and says what the index says. To check later that it goes on from here: --head ${entries}:${head}`,
    ]);
  },
};

/**
 * Requires of each version on offer what ANCHOREVAL_TRUSTED_KEYS asks of a bundle, and that it is the one that the index names.
 * @returns how many there are; null where nobody is listed to be trusted
 * @throws AnchorEvalError `bundle_untrusted`, `bundle_corrupt`
 */
async function requireSigned(
  place: string,
  { versions }: Pick<BundleIndex, "versions">,
  signal: AbortSignal,
): Promise<number | null> {
  if (!process.env["ANCHOREVAL_TRUSTED_KEYS"]) return null;
  const offered = versions.filter(({ yanked }) => !yanked);
  for (const { version, digest } of offered) {
    const read = await readManifest(openBundle(`${place}/${version}`), { signal });
    if (read.digest !== digest)
      throw new AnchorEvalError("bundle_corrupt", `${place}: version ${version} is ${read.digest}, its index names ${digest}: restore that one`); // prettier-ignore
  }
  return offered.length;
}

function parseHead(text: string | undefined): LogHead | null {
  if (text === undefined) return null;
  const [, entries, head] = /^([1-9]\d*):(sha256:[0-9a-f]{64})$/.exec(text) ?? [];
  if (head === undefined)
    throw invalidOption(`--head is a number of entries and a digest, 7:sha256:…, as verify prints it`);
  return { entries: Number(entries), head };
}

/** Reads the files that lie beside a benchmark's versions; null where one isn't there. */
type Read = (file: string) => Promise<Uint8Array | null>;

async function readerOf(place: string, signal: AbortSignal): Promise<Read> {
  if (/^https?:\/\//i.test(place)) {
    if (!URL.canParse(place)) throw invalidOption(`${place} is not a URL`);
    const policy = { signal, ...readPolicy(new URL(place)) };
    return async (file) => {
      const bound = fileBound(place, file || "index.json");
      return (await requestBytes(file === "" ? place : `${place}/${file}`, {}, policy, bound))?.bytes ?? null;
    };
  }
  if (!(await stat(place).catch(() => null))?.isDirectory())
    throw invalidOption(`${place} is neither an address nor a folder: verify takes where a benchmark is published`);
  const store = folderStore(place);
  return async (file) => (await store.get(file))?.bytes ?? null;
}

/** The index of a folder or a static host; of a Worker, its summary of the same. */
async function readIndex(place: string, read: Read): Promise<Pick<BundleIndex, "versions" | "log">> {
  const isWorker = /^https?:.*\/v1\/bundles\/[^/]+$/i.test(place);
  const bytes = await read(isWorker ? "" : "index.json");
  if (bytes === null) throw new AnchorEvalError("not_found", `no benchmark is published at ${place}`);
  const index = parseIndex(isWorker ? indexOf(bytes) : bytes);
  if (index !== null) return index;
  throw new AnchorEvalError("bundle_corrupt", `${place}: its index can't be read: publishing again mends it`);
}

/** index.json, as far as a Worker's summary says it. */
function indexOf(summary: Uint8Array): Uint8Array {
  try {
    const { versions, yanked, ...rest } = decodeJson(summary) as Record<"versions" | "yanked", object[]>;
    const all = [versions, yanked].flatMap((list, k) =>
      list.map((entry) => ({ ...entry, created: "", yanked: k === 1 })),
    );
    return encodeJson({ ...rest, versions: all });
  } catch {
    return summary; // of another server: no index
  }
}
