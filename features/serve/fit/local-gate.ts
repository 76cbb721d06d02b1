/** The bindings of the Worker that stands before the local one. */
interface GateEnv {
  readonly WORKER: { fetch(request: Request): Promise<Response> };
  /** Origins besides this machine's own, such as `https://evals.example.com`. */
  readonly ORIGINS: readonly string[];
}

/** Names of this machine that no name server decides on. */
const LOCAL_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** Headers that would let other origins' pages read an answer. */
const CORS = ["origin", "methods", "headers"].map((name) => `access-control-allow-${name}`);
/** Longest wait for what a refused request has left to send, and most of it that is read: a connection that is closed before is lost to others. */
const [REST_DEADLINE, MOST_REST] = [1000, 1 << 24];

/**
 * Lets through what comes from this machine: requests to one of its own names, so that no page reaches it by a name that
 * leads here (DNS rebinding), and from no other origin's page. Named origins may be the address, and their pages may ask.
 */
export default {
  async fetch(request: Request, { WORKER, ORIGINS }: GateEnv): Promise<Response> {
    const { hostname, origin: here } = new URL(request.url);
    const origin = request.headers.get("origin");
    const isNamed = (host: string): boolean => ORIGINS.some((named) => new URL(named).hostname === host);
    if (!LOCAL_HOSTS.has(hostname) && !isNamed(hostname))
      return refuse(request, `this Worker answers on this machine alone, not as ${hostname.slice(0, 100)}: whoever runs it can name other origins`); // prettier-ignore
    if (origin !== null && origin !== here && !ORIGINS.includes(origin))
      return refuse(request, `pages of ${origin.slice(0, 100)} may not ask this Worker: whoever runs it can name origins that may`); // prettier-ignore
    const answer = await WORKER.fetch(request);
    const passed = new Response(answer.body, answer);
    const { headers } = passed;
    if (origin !== null && origin !== here) headers.set("access-control-allow-origin", origin);
    else for (const name of CORS) headers.delete(name);
    headers.append("vary", "Origin");
    const { clientAcceptEncoding = "" } = (request as { cf?: { clientAcceptEncoding?: string } }).cf ?? {};
    weaken(headers, clientAcceptEncoding);
    return passed;
  },
};

/**
 * Compressed bytes are others than an ETag names: the tag is weak then, as Cloudflare makes it.
 * @see RFC 9110, §8.8.3
 */
function weaken(headers: Headers, accepted: string): void {
  const etag = headers.get("etag");
  if (etag === null) return;
  headers.append("vary", "Accept-Encoding");
  const isText = headers.get("content-type") !== "application/octet-stream";
  if (isText && /gzip|br|\*/i.test(accepted) && !etag.startsWith("W/")) headers.set("etag", `W/${etag}`);
}

async function refuse(request: Request, detail: string): Promise<Response> {
  const reader = request.body?.getReader();
  const drain = async (): Promise<void> => {
    for (let read = 0; reader !== undefined && read <= MOST_REST;) {
      const part = await reader.read();
      if (part.done) return;
      read += (part.value as Uint8Array).length;
    }
  };
  const late = new Promise((resolve) => setTimeout(resolve, REST_DEADLINE));
  await Promise.race([drain().catch(() => undefined), late]);
  const { pathname: instance } = new URL(request.url);
  const code = "forbidden";
  return Response.json(
    { type: `urn:anchoreval:problem:${code}`, title: "Not from here", status: 403, detail, code, issues: [], instance },
    { status: 403, headers: { "content-type": "application/problem+json", "x-content-type-options": "nosniff", "cache-control": "no-store" } }, // prettier-ignore
  );
}
