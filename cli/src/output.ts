/** Where a command writes: results to standard output, progress and remarks to standard error. */
export interface Output {
  /** `--json` was given: the result is one JSON document. */
  readonly json: boolean;
  /** A line of the result. */
  line(text?: string): void;
  /** The result as JSON. */
  document(value: unknown): void;
  /** A remark on standard error; kept back by `--quiet`. */
  remark(text: string): void;
  /** Progress of long work: a bar on a terminal, else nothing. */
  progress(label: string, total: number): Progress;
}

/** A bar for long work. */
interface Progress {
  /** @param done - of the total @param note - what is being done */
  update(done: number, note?: string): void;
  stop(): void;
}

/** Streams that an output writes to. */
export interface Streams {
  readonly stdout: { write(text: string): unknown; readonly columns?: number | undefined };
  readonly stderr: {
    write(text: string): unknown;
    readonly isTTY?: boolean | undefined;
    readonly columns?: number | undefined;
  };
}

/** The output of a command: results to `stdout`, all else to `stderr`. */
export function createOutput(options: { json: boolean; quiet: boolean }, { stdout, stderr }: Streams): Output {
  return {
    json: options.json,
    line: (text = "") => void stdout.write(`${text}\n`),
    document: (value) => void stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    remark: (text) => {
      if (!options.quiet) stderr.write(`${text}\n`);
    },
    progress: (label, total) => {
      if (options.quiet || stderr.isTTY !== true) return { update: () => undefined, stop: () => undefined };
      const begun = Date.now();
      return {
        update: (done, note = "") => {
          const share = Math.min(1, done / Math.max(1, total));
          const seconds = (Date.now() - begun) / 1000;
          const left = share > 0.02 ? `, ${Math.round((seconds / share) * (1 - share))} s left` : "";
          const filled = Math.round(share * 24);
          const text = `${label} ${"█".repeat(filled)}${"░".repeat(24 - filled)} ${Math.round(share * 100)} %${left} ${note}`;
          stderr.write(`\r\u001b[2K${text.slice(0, (stderr.columns ?? 80) - 1)}`);
        },
        stop: () => void stderr.write("\r\u001b[2K"),
      };
    },
  };
}
