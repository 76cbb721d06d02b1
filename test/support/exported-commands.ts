import { spawn } from "node:child_process";
import { estimateFromAnchors, loadBundle } from "anchoreval";
import { folderSource } from "anchoreval/node";
import { expect } from "vitest";
import { HARNESS_ENV } from "./harness-tasks.ts";
import { anchoreval } from "./run-harness.ts";

/** The fields of `export --json` that are commands, and what is said beside them. */
interface Exported {
  readonly command: string;
  readonly commands: readonly string[];
  readonly tableCommand: string;
  readonly notes: readonly string[];
}

/** Where a run's logs lie, and the form that it asked. */
interface Run {
  readonly form: string;
  readonly from: string;
  readonly logs: string;
}

/** What a user does with a form in a folder: exports it, runs what is printed, reads it back. */
export interface Commands {
  /** Runs a line of a shell that has the harnesses on its PATH; servers of this process go on meanwhile. */
  readonly shell: (line: string) => Promise<{ readonly code: number | null; readonly said: string }>;
  /** Runs the program. @returns what it printed */
  readonly succeed: (...argv: readonly string[]) => Promise<string>;
  readonly exported: (...argv: readonly string[]) => Promise<Exported>;
  /** The score and interval by a run's logs are the SDK's for some answers. @param place - the bundle's folder */
  readonly expectEstimate: (place: string, answers: Readonly<Record<string, number>>, run: Run) => Promise<void>;
}

export function commandsIn(cwd: string): Commands {
  const succeed = async (...argv: readonly string[]): Promise<string> => {
    const { code, out, err } = await anchoreval(cwd, argv);
    expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
    return out;
  };
  return {
    succeed,
    shell(line) {
      const child = spawn("bash", ["-c", line], { cwd, env: { ...HARNESS_ENV, OPENAI_API_KEY: "none" } });
      let said = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (bytes: Buffer) => (said += bytes.toString()));
      return new Promise((resolve) => child.once("close", (code) => resolve({ code, said })));
    },
    exported: async (...argv) => JSON.parse(await succeed("export", ...argv, "--json")) as Exported,
    async expectEstimate(place, answers, { form, from, logs }) {
      const { score, interval } = estimateFromAnchors(await loadBundle(folderSource(place)), answers, { form });
      const out = await succeed("estimate", "--bundle", place, "--form", form, "--from", from, logs, "--json");
      const answered = Object.keys(answers).length;
      expect(JSON.parse(out)).toMatchObject({ score, interval: { ...interval }, answered });
    },
  };
}
