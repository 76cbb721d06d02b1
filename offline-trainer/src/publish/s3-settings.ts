import { AnchorEvalError } from "anchoreval/core";
import type { S3Options } from "./s3-store.ts";

/**
 * Where `r2://BUCKET` is and who may write there, by the environment: R2_ACCOUNT_ID (or an endpoint, R2_ENDPOINT or
 * AWS_ENDPOINT_URL), R2_ACCESS_KEY_ID and R2_SECRET_ACCESS_KEY (or the AWS_* names). Never by the command line, where others
 * of the machine can read it.
 * @throws AnchorEvalError `invalid_option` that names what is missing
 */
export function s3Settings(address: string, env: Readonly<Record<string, string | undefined>>): S3Options {
  const [, bucket] = /^r2:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/.exec(address) ?? [];
  if (bucket === undefined)
    throw new AnchorEvalError("invalid_option", `${address} is no bucket: r2://BUCKET, without a folder`);
  const of = (...names: string[]): string | undefined => names.map((name) => env[name]).find(Boolean);
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
    throw new AnchorEvalError(
      "invalid_option",
      `${address} takes ${missing.join(", ")} in the environment (an R2 API token with object read and write)`,
    );
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint))
    throw new AnchorEvalError("invalid_option", `the endpoint ${endpoint} is no address`);
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
