/** Writes one line of JSON: Cloudflare's logs index its fields. */
export function logLine(level: "log" | "error", event: string, fields: Readonly<Record<string, unknown>>): void {
  console[level](JSON.stringify({ event, ...fields }));
}

/** An error with its causes, for logs alone: stacks where there are, else messages. */
export function traceOf(error: unknown): string {
  const lines: string[] = [];
  for (let at = error; at !== undefined; at = at instanceof Error ? at.cause : undefined)
    lines.push(at instanceof Error ? (at.stack ?? at.message) : JSON.stringify(at));
  return lines.join("\ncaused by ");
}
