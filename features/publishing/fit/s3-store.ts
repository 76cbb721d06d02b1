import { createHash } from "node:crypto";
import { fileBound } from "anchoreval/internal/bundles/read-file";
import { atMost, type Bound } from "anchoreval/internal/bundles/body";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import type { SweepableStore } from "anchoreval/internal/bundles/bundle-store";
import { AwsClient } from "aws4fetch";
import { keyPath, type Persistence, persistentFetch, textOf, type WholeAnswer } from "./persistent-fetch.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

export interface S3Options extends Persistence {
  /** Without a bucket, for example `https://ACCOUNT.r2.cloudflarestorage.com`. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** @default "auto", as R2 has it */
  readonly region?: string;
}

/** A page of a listing has 1000 keys of 1024 bytes at most. @unit bytes */
const MOST_ANSWER_BYTES = 1 << 23;

/**
 * Publishes to a bucket by S3's interface (R2's, or another's with conditional writes): requests signed by AWS's version 4,
 * creation by `If-None-Match`, replacement by `If-Match`. What fails for the network, 429, 409 or 5xx is tried again: a
 * conditional write that had succeeded unheard then answers false, and what lies there is one's own.
 * @throws AnchorEvalError from each method: `request_refused` with the store's own code (`AccessDenied`, `NoSuchBucket`, …),
 * `unavailable` after the last attempt, `aborted`
 */
export function s3Store(options: S3Options): SweepableStore {
  const { bucket, region = "auto" } = options;
  const root = `${options.endpoint.replace(/\/+$/, "")}/${bucket}`;
  const client = new AwsClient({ ...options, region, service: "s3", retries: 0 });

  const request = async (
    address: string,
    { body, ...init }: { method?: string; headers?: Record<string, string>; body?: Uint8Array },
    wanted: readonly number[],
    bound: Bound = atMost(MOST_ANSWER_BYTES, `${bucket}${address}: the answer`),
  ): Promise<WholeAnswer> => {
    const answer = await persistentFetch(`${bucket}${address}`, options, bound, async (signal) => {
      const signed = await client.sign(`${root}${address}`, {
        ...init,
        ...(body && { body: body as Uint8Array<ArrayBuffer> }),
        headers: { ...init.headers, "x-amz-content-sha256": sha256(body ?? new Uint8Array(0)) },
      });
      return fetch(signed, { signal });
    });
    if (wanted.includes(answer.status)) return answer;
    const text = textOf(answer);
    const code = /<Code>([^<]+)<\/Code>/.exec(text)?.[1] ?? answer.statusText;
    const message = /<Message>([^<]*)/.exec(text)?.[1] ?? "";
    throw new AnchorEvalError("request_refused", `${bucket}${address}: ${answer.status} ${code}: ${message}`);
  };

  const put = async (key: string, bytes: Uint8Array, condition: Record<string, string>): Promise<boolean> => {
    const { status } = await request(
      `/${keyPath(key)}`,
      { method: "PUT", headers: condition, body: bytes },
      [200, 201, 412],
    );
    return status !== 412;
  };

  const listAll = async (prefix: string): Promise<{ name: string; written: number }[]> => {
    const entries: { name: string; written: number }[] = [];
    let token: string | undefined;
    do {
      const query = new URLSearchParams({ "list-type": "2", prefix, delimiter: "/" });
      if (token !== undefined) query.set("continuation-token", token);
      const text = textOf(await request(`?${query}`, {}, [200]));
      for (const [, folder] of text.matchAll(/<CommonPrefixes>\s*<Prefix>([^<]*)<\/Prefix>/g))
        entries.push({ name: unescaped(folder!).slice(prefix.length), written: NaN });
      for (const object of text.split("<Contents>").slice(1))
        entries.push({
          name: unescaped(/<Key>([^<]*)/.exec(object)![1]!).slice(prefix.length),
          written: Date.parse(/<LastModified>([^<]*)/.exec(object)![1]!),
        });
      token = /<NextContinuationToken>([^<]+)/.exec(text)?.[1];
      if (token !== undefined) token = unescaped(token);
    } while (token !== undefined);
    return entries;
  };

  return {
    name: `r2://${bucket}`,
    get: async (key) => {
      const answer = await request(`/${keyPath(key)}`, {}, [200, 404], fileBound(`r2://${bucket}`, key));
      if (answer.status === 404) {
        if (textOf(answer).includes("<Code>NoSuchBucket</Code>"))
          throw new AnchorEvalError("request_refused", `there is no bucket ${bucket} at ${options.endpoint}`);
        return null;
      }
      return { bytes: answer.bytes, etag: answer.headers.get("etag")! };
    },
    putIfAbsent: (key, bytes) => put(key, bytes, { "if-none-match": "*" }),
    putIfMatch: async (key, bytes, etag) => {
      try {
        return await put(key, bytes, { "if-match": etag });
      } catch (error) {
        if (error instanceof AnchorEvalError && /: 404 NoSuchKey/.test(error.message)) return false;
        throw error;
      }
    },
    list: async (prefix) => (await listAll(prefix)).map(({ name }) => name),
    listTimes: async (prefix) => (await listAll(prefix)).filter(({ name }) => !name.endsWith("/")),
    remove: async (key) => {
      await request(`/${keyPath(key)}`, { method: "DELETE" }, [200, 204, 404]);
    },
  };
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Text of XML as it was meant. */
function unescaped(text: string): string {
  return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) =>
    hex
      ? String.fromCodePoint(parseInt(hex, 16))
      : decimal
        ? String.fromCodePoint(Number(decimal))
        : (lookUp(ENTITIES, name!) ?? whole),
  );
}

/**
 * Where `r2://BUCKET` is and who may write there, by the environment: R2_ACCOUNT_ID (or an endpoint, R2_ENDPOINT or
 * AWS_ENDPOINT_URL), R2_ACCESS_KEY_ID and R2_SECRET_ACCESS_KEY (or the AWS_* names). Never by the command line, where others
 * of the machine can read it.
 * @throws AnchorEvalError `invalid_option` that names what is missing
 */
export function s3Settings(address: string, env: Readonly<Record<string, string | undefined>>): S3Options {
  const [, bucket] = /^r2:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/.exec(address) ?? [];
  if (bucket === undefined) throw invalidOption(`${address} is no bucket: r2://BUCKET, without a folder`);
  const of = (...names: string[]): string | undefined => names.map((name) => lookUp(env, name)).find(Boolean);
  const account = of("R2_ACCOUNT_ID");
  const endpoint =
    of("R2_ENDPOINT", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") ??
    (account && `https://${account}.r2.cloudflarestorage.com`);
  const accessKeyId = of("R2_ACCESS_KEY_ID", "AWS_ACCESS_KEY_ID");
  const secretAccessKey = of("R2_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY");
  const missing = [
    endpoint ? "" : "R2_ACCOUNT_ID",
    accessKeyId ? "" : "R2_ACCESS_KEY_ID",
    secretAccessKey ? "" : "R2_SECRET_ACCESS_KEY",
  ].filter(Boolean);
  if (!endpoint || !accessKeyId || !secretAccessKey)
    throw invalidOption(
      `${address} takes ${missing.join(", ")} in the environment (an R2 API token with object read and write)`,
    );
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint))
    throw invalidOption(`the endpoint ${endpoint} is no address`);
  const region = of("AWS_REGION", "AWS_DEFAULT_REGION");
  const sessionToken = of("AWS_SESSION_TOKEN");
  return {
    bucket,
    endpoint,
    accessKeyId,
    secretAccessKey,
    ...(region && { region }),
    ...(sessionToken && { sessionToken }),
  };
}
