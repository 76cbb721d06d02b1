import { main } from "../../sdk/cli/main.ts";

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a light command of the program in this process. */
export async function runCommand(...argv: string[]): Promise<CommandResult> {
  let [out, err] = ["", ""];
  const code = await main(argv, {
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
  });
  return { code, out, err };
}
