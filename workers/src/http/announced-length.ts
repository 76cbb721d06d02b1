import { HttpProblem } from "../problem.ts";

/**
 * How long a body says it is.
 * @param most - @unit bytes
 * @throws HttpProblem `length_required` without Content-Length, `payload_too_large` over the limit
 */
export function announcedLength(request: Request, most: number): number {
  const header = request.headers.get("content-length");
  if (header === null || !/^\d+$/.test(header))
    throw new HttpProblem("length_required", "send the body with its Content-Length");
  const bytes = Number(header);
  if (bytes > most) throw new HttpProblem("payload_too_large", `the body has at most ${most} bytes here`);
  return bytes;
}
