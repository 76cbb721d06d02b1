import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Miniflare } from "miniflare";
import { startDisturbedServer, type Answer, type DisturbedServer } from "./disturbed-server.ts";

/** A store that speaks S3 over HTTP, as far as publishing needs it: real conditions, by miniflare's R2. */
export interface S3Server extends DisturbedServer {
  /** `METHOD /path` of every request that was signed right, and its status. */
  readonly log: string[];
  /** Entries of a page of a listing. */
  pageSize: number;
}

export const CREDENTIALS = { accessKeyId: "test-key", secretAccessKey: "test/secret+key" };
const REGION = "auto";

/** The bucket's methods over HTTP: miniflare's own way there takes several trips a call and blocks the process. */
const BUCKET = `export default {
  async fetch(request, { STORE }) {
    const { key, options } = JSON.parse(new URL(request.url).searchParams.get("call"));
    const put = async () => {
      const same = options.onlyIf?.etagMatches;
      if (same && !(await STORE.head(key))) return new Response(null, { status: 404 });
      const object = await STORE.put(key, await request.arrayBuffer(), options);
      return object ? new Response(null, { headers: { etag: object.httpEtag } }) : new Response(null, { status: 412 });
    };
    if (request.method === "PUT") return put();
    if (request.method === "DELETE") return new Response(null, { status: (await STORE.delete(key), 204) });
    if (key === undefined) {
      const { objects, ...page } = await STORE.list(options);
      return Response.json({ ...page, objects: objects.map(({ key, uploaded }) => ({ key, uploaded })) });
    }
    const object = await STORE.get(key);
    return object ? new Response(object.body, { headers: { etag: object.httpEtag } }) : new Response(null, { status: 404 });
  },
};`;

/** What the listing of a bucket gives. */
interface Listed {
  readonly objects: readonly { readonly key: string; readonly uploaded: string }[];
  readonly delimitedPrefixes: readonly string[];
  readonly truncated: boolean;
  readonly cursor?: string;
}

export async function startS3Server(): Promise<S3Server> {
  const miniflare = new Miniflare({
    modules: true,
    script: BUCKET,
    compatibilityDate: "2026-04-01",
    r2Buckets: ["STORE"],
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0, proxy: false }],
  });
  const address = await miniflare.unsafeGetDirectURL();
  const call = (method: string, of: { key?: string; options?: object }, body?: Buffer): Promise<Response> =>
    fetch(new URL(`?call=${encodeURIComponent(JSON.stringify(of))}`, address), {
      method,
      ...(body && { body: new Uint8Array(body) }),
    });
  const answer = async (request: IncomingMessage, body: Buffer): Promise<Answer> => {
    const url = new URL(request.url!, "http://localhost");
    const refusal = signatureFault(request, url, body);
    if (refusal) return [403, {}, error("SignatureDoesNotMatch", refusal)];
    const [bucket = "", ...rest] = url.pathname.slice(1).split("/");
    if (bucket === "absent") return [404, {}, error("NoSuchBucket", "The specified bucket does not exist.")];
    const key = `${bucket}/${rest.map(decodeURIComponent).join("/")}`;
    const { method = "" } = request;
    if (method === "GET" && rest.length === 0) return [200, {}, await listing(bucket, url.searchParams)];
    if (!["GET", "PUT", "DELETE"].includes(method)) return [405, {}, error("MethodNotAllowed", "")];
    const { "if-none-match": absent, "if-match": same } = request.headers;
    const onlyIf = absent ? { etagDoesNotMatch: "*" } : same ? { etagMatches: same.replaceAll('"', "") } : undefined;
    const answered = await call(method, { key, options: { onlyIf } }, method === "PUT" ? body : undefined);
    const bytes = Buffer.from(await answered.arrayBuffer());
    if (answered.status === 404) return [404, {}, error("NoSuchKey", "The specified key does not exist.")];
    if (answered.status === 412) return [412, {}, error("PreconditionFailed", "")];
    if (!answered.ok) throw new Error(bytes.toString());
    const etag = answered.headers.get("etag");
    return [answered.status, etag === null ? {} : { etag }, bytes];
  };

  const listing = async (bucket: string, query: URLSearchParams): Promise<string> => {
    const token = query.get("continuation-token");
    const options = {
      prefix: `${bucket}/${query.get("prefix") ?? ""}`,
      delimiter: query.get("delimiter")!,
      limit: server.pageSize,
      ...(token && { cursor: token }),
    };
    const page = (await (await call("GET", { options })).json()) as Listed;
    const name = (key: string): string =>
      key.slice(bucket.length + 1).replace(/[&<>]/g, (letter) => `&#x${letter.charCodeAt(0).toString(16)};`);
    const objects = page.objects.map(
      ({ key, uploaded }) => `<Contents><Key>${name(key)}</Key><LastModified>${uploaded}</LastModified></Contents>`,
    );
    const prefixes = page.delimitedPrefixes.map(
      (key) => `<CommonPrefixes><Prefix>${name(key)}</Prefix></CommonPrefixes>`,
    );
    const next = page.truncated ? `<NextContinuationToken>${page.cursor}</NextContinuationToken>` : "";
    return `<?xml version="1.0"?><ListBucketResult><Prefix>x</Prefix>${next}${objects.join("")}${prefixes.join("")}</ListBucketResult>`;
  };

  const log: string[] = [];
  const own = await startDisturbedServer(
    async (request, body) => {
      const answered = await answer(request, body);
      if (answered[0] !== 403) log.push(`${request.method!} ${request.url!} ${answered[0]}`);
      return answered;
    },
    error("SlowDown", "Reduce your request rate."),
  );
  const stop = own.close.bind(own);
  const server: S3Server = Object.assign(own, {
    log,
    pageSize: 1000,
    close: async () => {
      await stop();
      await miniflare.dispose();
    },
  });
  return server;
}

/** What is wrong with a request's signature by AWS's version 4, null where it is right. */
function signatureFault({ method, headers }: IncomingMessage, url: URL, body: Buffer): string | null {
  const [, key, date, region, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([\da-f]{64})$/.exec(
      headers.authorization ?? "",
    ) ?? [];
  if (!key || !date || !region || !names || !signature) return "no signature of version 4";
  if (key !== CREDENTIALS.accessKeyId || region !== REGION) return "another key or region";
  const signed = names.split(";");
  for (const needed of ["host", "x-amz-date", "x-amz-content-sha256", "if-match", "if-none-match"])
    if (headers[needed] !== undefined && !signed.includes(needed)) return `${needed} is not signed`;
  const hash = headers["x-amz-content-sha256"] as string;
  if (hash !== createHash("sha256").update(body).digest("hex")) return "another body";
  const time = headers["x-amz-date"] as string;
  if (!time.startsWith(date) || Math.abs(Date.now() - parseTime(time)) > 900_000) return "another time";
  const query = [...url.searchParams]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`);
  const canonical = [
    method,
    url.pathname.split("/").map(decodeURIComponent).map(encode).join("/"),
    query.join("&"),
    ...signed.map((name) => `${name}:${(headers[name] as string).trim().replace(/ +/g, " ")}`),
    "",
    names,
    hash,
  ].join("\n");
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const secret = [date, region, "s3", "aws4_request"].reduce<string | Buffer>(
    (from, part) => createHmac("sha256", from).update(part).digest(),
    `AWS4${CREDENTIALS.secretAccessKey}`,
  );
  const right = createHmac("sha256", secret).update(text).digest();
  return timingSafeEqual(right, Buffer.from(signature, "hex")) ? null : "another signature";
}

/** RFC 3986: what encodeURIComponent leaves of the reserved letters too. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function parseTime(text: string): number {
  return Date.parse(text.replace(/(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z/, "$1-$2-$3T$4:$5:$6Z"));
}

function error(code: string, message: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
}
