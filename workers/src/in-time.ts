import { AnchorEvalError } from "anchoreval";

/**
 * The work's outcome, if it comes in time.
 * @param limit - @unit milliseconds
 * @throws AnchorEvalError `unavailable` after the limit; the work goes on by itself
 */
export function inTime<T>(work: Promise<T>, limit: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new AnchorEvalError("unavailable", `${what}: no answer within ${limit} ms`));
    const timer = setTimeout(late, limit);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
