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

export async function startS3Server(): Promise<S3Server> {
  const miniflare = new Miniflare({
    modules: true,
    script: "export default { fetch: () => new Response() }",
    compatibilityDate: "2026-04-01",
    r2Buckets: ["STORE"],
  });
  const store = await miniflare.getR2Bucket("STORE");
  const answer = async (request: IncomingMessage, body: Buffer): Promise<Answer> => {
    const url = new URL(request.url!, "http://localhost");
    const refusal = signatureFault(request, url, body);
    if (refusal) return [403, {}, error("SignatureDoesNotMatch", refusal)];
    const [bucket = "", ...rest] = url.pathname.slice(1).split("/");
    if (bucket === "absent") return [404, {}, error("NoSuchBucket", "The specified bucket does not exist.")];
    const key = `${bucket}/${rest.map(decodeURIComponent).join("/")}`;
    if (request.method === "GET" && rest.length === 0) return [200, {}, await listing(bucket, url.searchParams)];
    if (request.method === "GET") {
      const object = await store.get(key);
      if (!object) return [404, {}, error("NoSuchKey", "The specified key does not exist.")];
      return [200, { etag: object.httpEtag }, Buffer.from(await object.arrayBuffer())];
    }
    if (request.method === "DELETE") {
      await store.delete(key);
      return [204, {}, ""];
    }
    if (request.method !== "PUT") return [405, {}, error("MethodNotAllowed", "")];
    const { "if-none-match": absent, "if-match": same } = request.headers;
    if (same && !(await store.head(key))) return [404, {}, error("NoSuchKey", "The specified key does not exist.")];
    const onlyIf = absent ? { etagDoesNotMatch: "*" } : same ? { etagMatches: same.replaceAll('"', "") } : null;
    const bytes = new Uint8Array(body);
    const put = onlyIf ? await store.put(key, bytes, { onlyIf }) : await store.put(key, bytes);
    return put ? [200, { etag: put.httpEtag }, ""] : [412, {}, error("PreconditionFailed", "")];
  };

  const listing = async (bucket: string, query: URLSearchParams): Promise<string> => {
    const token = query.get("continuation-token");
    const page = await store.list({
      prefix: `${bucket}/${query.get("prefix") ?? ""}`,
      delimiter: query.get("delimiter")!,
      limit: server.pageSize,
      ...(token && { cursor: token }),
    });
    const name = (key: string): string =>
      key.slice(bucket.length + 1).replace(/[&<>]/g, (letter) => `&#x${letter.charCodeAt(0).toString(16)};`);
    const objects = page.objects.map(
      ({ key, uploaded }) =>
        `<Contents><Key>${name(key)}</Key><LastModified>${uploaded.toISOString()}</LastModified></Contents>`,
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
