/** A benchmark's name, as it stands in URLs and keys. */
export const BENCHMARK_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** Semver without build metadata; numbers have no leading zeros. */
export const VERSION =
  /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?$/;
/** A form's id. */
export const FORM_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;
/** Lowercase SHA-256. */
export const SHA256 = /^[0-9a-f]{64}$/;

/**
 * Whether a text is what a bearer token may allow: `publish:<benchmark>`, or `read:<benchmark>` where it is protected; `*`
 * for every benchmark.
 */
export function isAccessScope(text: string): boolean {
  const [action, benchmark = "", ...more] = text.split(":");
  return (
    (action === "publish" || action === "read") &&
    (benchmark === "*" || BENCHMARK_NAME.test(benchmark)) &&
    more.length === 0
  );
}

/**
 * Why an item or scenario id is not allowed, or null: any text of 1 to 512 bytes of UTF-8, NFC, no control characters.
 */
export function idProblem(id: string): string | null {
  if (id === "") return "an id must not be empty";
  if (new TextEncoder().encode(id).length > 512) return "an id has at most 512 bytes";
  if (id.normalize("NFC") !== id) return "an id must be in Unicode's NFC";
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f]/.test(id)) return "an id must not have control characters";
  if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(id))
    return "an id must be valid Unicode";
  return null;
}

/**
 * Order of two semver versions (semver.org, §11): negative where `left` is older.
 * @example compareVersions("1.0.0-rc.1", "1.0.0") // negative
 */
export function compareVersions(left: string, right: string): number {
  const [leftCore = "", ...leftRest] = left.split("-");
  const [rightCore = "", ...rightRest] = right.split("-");
  const l = leftCore.split(".").map(Number);
  const r = rightCore.split(".").map(Number);
  for (let i = 0; i < 3; i++) if (l[i] !== r[i]) return l[i]! - r[i]!;
  const leftTag = leftRest.join("-");
  const rightTag = rightRest.join("-");
  if (leftTag === rightTag) return 0;
  if (leftTag === "") return 1;
  if (rightTag === "") return -1;
  const a = leftTag.split(".");
  const b = rightTag.split(".");
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const x = a[i];
    const y = b[i];
    if (x === undefined) return -1;
    if (y === undefined) return 1;
    if (x === y) continue;
    const xNumber = /^\d+$/.test(x);
    const yNumber = /^\d+$/.test(y);
    if (xNumber && yNumber && x.length !== y.length) return x.length - y.length; // no leading zeros: longer is larger
    if (xNumber !== yNumber) return xNumber ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
}

/** A version that may be `latest`: no pre-release tag. */
export function isStable(version: string): boolean {
  return !version.includes("-");
}
