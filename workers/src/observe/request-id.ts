/** What may stand in logs and headers as it is. */
const WELL_FORMED = /^[A-Za-z0-9._:-]{1,64}$/;

/**
 * The id under which a request is found in logs: the caller's own where it is well-formed, else a random UUID.
 * @param given - the header `x-request-id`
 * @example requestIdOf("job-17.3") // "job-17.3"
 */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && WELL_FORMED.test(given) ? given : crypto.randomUUID();
}
