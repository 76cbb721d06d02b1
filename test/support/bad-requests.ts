import type { RandomSource } from "anchoreval/internal/core/numeric/random";

/** A request as nobody should send it. */
export interface BadRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const NASTY_TEXT = [
  "",
  " ",
  "__proto__",
  "constructor",
  "toString",
  "<script>alert(1)</script>",
  "\"'><img src=x onerror=alert(1)>",
  "a\u0000b",
  "\ud800",
  "𝔘𝔫𝔦",
  "e\u0301",
  "\u202egsm",
  "../../etc/passwd",
  "..%2f..%2fmanifest.json",
  "%00",
  "%",
  "latest",
  "1.0.0+build",
  "a".repeat(600),
  "🦜".repeat(200),
];
const NASTY_NUMBERS = ["-0", "1e999", "-1e308", "5e-324", "9007199254740993", "0.1e1", "1".repeat(400), "NaN", "01"];
const WORDS = [
  ...["responses", "form", "formDigest", "digest", "level", "hashes", "onChangedItem", "models", "model"],
  ...[
    "a",
    "b",
    "margin",
    "current",
    "baselines",
    "maxDrop",
    "minScore",
    "name",
    "version",
    "begin",
    "state",
    "stop",
    "halfWidth",
    "threshold",
    "budget",
    "batch",
  ],
  ...["scenarios", "goal", "questions", "text", "embedding", "costs", "yanked", "reason", "__proto__"],
  ...["metric", "over", "clusters", "passed", "of", "pass@16", "runs"],
];
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];
/** What follows a version, with the method that belongs to it. */
const TAILS: readonly (readonly [tail: string, method: string])[] = [
  ...[
    "/estimates",
    "/estimates/batch",
    "/estimates/jobs",
    "/checks",
    "/comparisons",
    "/next-items",
    "/routes",
    "/publication",
  ].map((tail) => [tail, "POST"] as const),
  ...["", "/plan", "/anchors", "/files/items.jsonl", "/files/../x", "/estimates/jobs/0/results"].map(
    (tail) => [tail, "GET"] as const,
  ),
  ["/yank", "PUT"],
];
const TYPES = [
  ...["application/json", "application/json; charset=utf-16", "text/plain", "application/x-ndjson"],
  ...["multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "", "json"],
];

/**
 * Draws a bad request: any method, path and type, and a body of JSON gone wrong.
 * @param ids - item ids that exist, so that some bodies come far
 */
export function badRequest(random: RandomSource, ids: readonly string[]): BadRequest {
  const pick = <T>(of: readonly T[]): T => of[random.below(of.length)]!;
  const text = (): string => (random.next() < 0.3 ? pick(ids) : pick(NASTY_TEXT));
  const value = (depth: number): string => {
    const kind = random.below(depth > 0 ? 9 : 6);
    if (kind === 0) return pick(NASTY_NUMBERS);
    if (kind === 1) return JSON.stringify(text());
    if (kind === 2) return pick(["null", "true", "false"]);
    if (kind <= 5) return pick(["0", "1", "0.5", "-1", "2", "1e-9"]);
    if (kind === 6) return `[${list(() => value(depth - 1))}]`;
    return object(depth);
  };
  const list = (of: () => string): string => Array.from({ length: random.below(6) }, of).join(",");
  const object = (depth: number): string =>
    `{${list(() => `${JSON.stringify(random.next() < 0.6 ? pick(WORDS) : text())}:${value(depth - 1)}`)}}`;
  const nested = (): string => {
    const deep = 10 ** random.below(5);
    const [open, close] = random.next() < 0.5 ? ["[", "]"] : ['{"responses":', "}"];
    return open.repeat(deep) + "1" + (random.next() < 0.7 ? close.repeat(deep) : "");
  };
  const body = (): string => {
    const kind = random.below(10);
    if (kind === 0) return nested();
    if (kind === 1) return object(3).slice(0, -1 - random.below(8));
    if (kind === 2) return text();
    if (kind === 3) return `{"responses":{${list(() => `${JSON.stringify(text())}:${value(1)}`)}}}`;
    if (kind === 4) return `{"state":${JSON.stringify(`${text()}.${text()}`)},"responses":${object(2)}}`;
    if (kind === 5) return `{"begin":${object(2)}}`;
    return object(4);
  };
  const segment = (good: string): string => (random.next() < 0.93 ? good : encodeURIComponent(wellFormed(text())));
  const [known, its] = pick(TAILS);
  const tail = random.next() < 0.9 ? known : `/${encodeURIComponent(wellFormed(text()))}`;
  const query = random.next() < 0.2 ? `?${pick(WORDS)}=${encodeURIComponent(wellFormed(text()))}` : "";
  const method = random.next() < 0.8 ? its : pick(METHODS);
  return {
    method,
    path: `/v1/bundles/${segment("sample")}/${segment(pick(["1.0.0", "latest"]))}${tail}${query}`,
    headers: {
      "content-type": random.next() < 0.85 ? "application/json" : pick(TYPES),
      ...(random.next() < 0.04 && { authorization: `Bearer ${pick(["x", "anchoreval_x", "a b"])}` }),
      ...(random.next() < 0.05 && { range: pick(["bytes=-1", "bytes=9-1", "bytes=0-99999999999", "lines=1"]) }),
      ...(random.next() < 0.05 && { "x-request-id": pick(["a".repeat(300), "<b>", "1,2"]) }),
    },
    body: method === "GET" || method === "HEAD" ? null : body(),
  };
}

/** Without lone halves of characters, which no URL can carry. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "");
}
