import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { startDisturbedServer, type Answer, type DisturbedServer } from "./disturbed-server.ts";

/** A hub of dataset repositories that speaks Hugging Face's interface, as far as publishing and reading need it. */
export interface HubServer extends DisturbedServer {
  /** `METHOD /path status` of every request. */
  readonly log: string[];
  /** Titles of a dataset's commits. */
  readonly titles: (dataset: string) => string[];
  /** Somebody else's commit. */
  readonly commitFile: (dataset: string, path: string, text: string) => void;
  /** Makes an empty dataset. */
  readonly create: (dataset: string) => void;
  /** Entries of a page of a listing. */
  pageSize: number;
}

export const HUB_TOKEN = "hf_test";
type Files = Map<string, { readonly bytes: Buffer; readonly date?: string }>;
interface Commit {
  readonly sha: string;
  readonly title: string;
  readonly files: ReadonlyMap<string, { readonly bytes: Buffer; readonly date: string }>;
}

/** As the hub does it: text as it is, else by Git LFS. */
const isLarge = (path: string): boolean => !/\.(json|jsonl|md)$/.test(path);
const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const json = (value: object): Answer => [200, { "content-type": "application/json" }, JSON.stringify(value)];
const absent = (code: string): Answer => [404, { "x-error-code": code }, JSON.stringify({ error: code })];

export async function startHubServer(): Promise<HubServer> {
  const datasets = new Map<string, Commit[]>();
  const uploads = new Map<string, Buffer>();

  const add = (dataset: string, title: string, change: (files: Files) => void): Commit => {
    const commits = datasets.get(dataset) ?? [];
    const files: Files = new Map(commits.at(-1)?.files);
    change(files);
    const dated = Array.from(
      files,
      ([path, { bytes, date = new Date().toISOString() }]) => [path, { bytes, date }] as const,
    );
    const sha = createHash("sha1").update(`${dataset}${commits.length}`).digest("hex");
    const commit = { sha, title, files: new Map(dated) };
    datasets.set(dataset, [...commits, commit]);
    return commit;
  };

  const answer = (request: IncomingMessage, url: URL, body: Buffer): Answer => {
    const path = decodeURIComponent(url.pathname);
    const cdn = /^\/cdn\/([\da-f]{64})$/.exec(path);
    if (cdn) return ranged(request, uploads.get(cdn[1]!)!);
    const upload = /^\/lfs\/([\da-f]{64})$/.exec(path);
    if (upload) {
      if (sha256(body) !== upload[1]) return [400, {}, "another content"];
      uploads.set(upload[1], body);
      return [200];
    }
    if (path === "/api/datasets") return tagged(url);
    const [, dataset = "", what = ""] = /^\/(?:api\/)?datasets\/([^/]+\/[^/]+?)(?:\.git)?(\/.*)$/.exec(path) ?? [];
    const commits = datasets.get(dataset);
    if (!commits) return absent("RepoNotFound");
    const at = (revision: string): Commit | undefined =>
      revision === "main" ? commits.at(-1) : commits.find(({ sha }) => sha === revision);
    const read = /^\/resolve\/([^/]+)\/(.+)$/.exec(what);
    if (read) {
      const file = at(read[1]!)?.files.get(read[2]!);
      if (!file) return absent("EntryNotFound");
      if (!isLarge(read[2]!)) return ranged(request, file.bytes);
      uploads.set(sha256(file.bytes), file.bytes);
      return [302, { location: `${server.endpoint}/cdn/${sha256(file.bytes)}` }];
    }
    if (request.headers.authorization !== `Bearer ${HUB_TOKEN}`)
      return [401, { "content-type": "application/json" }, JSON.stringify({ error: "Invalid username or password." })];
    const revision = /^\/revision\/([^/]+)$/.exec(what);
    if (revision) {
      const commit = at(revision[1]!);
      return commit ? json({ sha: commit.sha }) : absent("RevisionNotFound");
    }
    const tree = /^\/tree\/([^/]+)\/(.+)$/.exec(what);
    if (tree) return listing(at(tree[1]!)!, tree[2]!, url);
    if (what === "/preupload/main")
      return json({
        files: (JSON.parse(body.toString()) as { files: { path: string }[] }).files.map((file) => ({
          path: file.path,
          uploadMode: isLarge(file.path) ? "lfs" : "regular",
        })),
      });
    if (what === "/info/lfs/objects/batch")
      return json({
        transfer: "basic",
        objects: (JSON.parse(body.toString()) as { objects: { oid: string; size: number }[] }).objects.map(
          (object) => ({
            ...object,
            ...(!uploads.has(object.oid) && { actions: { upload: { href: `${server.endpoint}/lfs/${object.oid}` } } }),
          }),
        ),
      });
    if (what !== "/commit/main") return [404, {}, what];
    return committed(dataset, commits, body);
  };

  const committed = (dataset: string, commits: readonly Commit[], body: Buffer): Answer => {
    const lines = body.toString().split("\n");
    const [header, ...operations] = lines.map(
      (line) => JSON.parse(line) as { key: string; value: Record<string, string> },
    );
    if (header!.value["parentCommit"] !== commits.at(-1)!.sha)
      return [412, {}, "A commit has happened since. Please refresh and try again."];
    for (const { key, value } of operations)
      if (key === "lfsFile" && !uploads.has(value["oid"]!)) return [400, {}, `${value["oid"]!} was not uploaded`];
    const commit = add(dataset, header!.value["summary"]!, (files) => {
      for (const { key, value } of operations)
        if (key === "deletedFile") files.delete(value["path"]!);
        else
          files.set(value["path"]!, {
            bytes: key === "lfsFile" ? uploads.get(value["oid"]!)! : Buffer.from(value["content"]!, "base64"),
          });
    });
    return json({ commitOid: commit.sha, commitUrl: `${server.endpoint}/commit/${commit.sha}` });
  };

  const listing = (commit: Commit, folder: string, url: URL): Answer => {
    const below = Array.from(commit.files.keys()).filter((path) => path.startsWith(`${folder}/`));
    if (below.length === 0) return absent("EntryNotFound");
    const names = new Set(below.map((path) => path.slice(folder.length + 1).split("/")[0]!));
    const entries = Array.from(names, (name) => {
      const path = `${folder}/${name}`;
      const file = commit.files.get(path);
      return { type: file ? "file" : "directory", path, ...(file && { lastCommit: { date: file.date } }) };
    });
    return page(entries, url);
  };

  const page = (entries: readonly object[], url: URL): Answer => {
    const from = Number(url.searchParams.get("cursor") ?? 0);
    const [status, headers, body] = json(entries.slice(from, from + server.pageSize));
    url.searchParams.set("cursor", `${from + server.pageSize}`);
    const more = from + server.pageSize < entries.length;
    return [status, more ? { ...headers, link: `<${url.href}>; rel="next"` } : { ...headers }, body ?? ""];
  };

  /** Datasets of an owner whose README.md has a tag. */
  const tagged = (url: URL): Answer => {
    const [owner, tag] = [url.searchParams.get("author")!, url.searchParams.get("filter")!];
    const found = Array.from(datasets).filter(([name, commits]) => {
      const [, front = ""] =
        /^---\n(.*?)\n---\n/s.exec(commits.at(-1)!.files.get("README.md")?.bytes.toString() ?? "") ?? [];
      return name.startsWith(`${owner}/`) && front.split("\n").includes(`  - ${tag}`);
    });
    return page(
      found.map(([id]) => ({ id, _id: id })),
      url,
    );
  };

  const log: string[] = [];
  const own = await startDisturbedServer((request, body) => {
    const answered = answer(request, new URL(request.url!, own.endpoint), body);
    log.push(`${request.method!} ${request.url!} ${answered[0]}`);
    return answered;
  }, "disturbed");
  const server: HubServer = Object.assign(own, {
    log,
    titles: (dataset: string) => datasets.get(dataset)!.map(({ title }) => title),
    commitFile: (dataset: string, path: string, text: string) =>
      void add(dataset, `Add ${path}`, (files) => files.set(path, { bytes: Buffer.from(text) })),
    create: (dataset: string) =>
      void add(dataset, "initial commit", (files) => files.set(".gitattributes", { bytes: Buffer.from("") })),
    pageSize: 1000,
  });
  return server;
}

/** A file, or the range of it that was asked for. */
function ranged({ headers: { range } }: IncomingMessage, bytes: Buffer): Answer {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? "") ?? [];
  if (from === undefined) return [200, {}, bytes];
  const end = to ? Math.min(Number(to) + 1, bytes.length) : bytes.length;
  return [206, { "content-range": `bytes ${from}-${end - 1}/${bytes.length}` }, bytes.subarray(Number(from), end)];
}
