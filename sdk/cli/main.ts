import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkCommand } from "./check.ts";
import { compareCommand } from "./compare.ts";
import { completionCommand } from "./completion.ts";
import { estimateCommand } from "./estimate.ts";
import { exportCommand } from "./export.ts";
import { keygenCommand } from "./keygen.ts";
import type { Streams } from "./output.ts";
import { planCommand } from "./plan.ts";
import { runProgram } from "./program.ts";
import { showCommand } from "./show.ts";
import { signCommand } from "./sign.ts";
import { tokenCommand } from "./token.ts";
import { runTrainer, TRAINER_COMMANDS } from "./trainer.ts";

/**
 * The program `anchoreval`: does the light commands itself and hands the others to the trainer.
 * @returns the exit code
 */
export function main(argv: readonly string[], streams: Streams = process): Promise<number> {
  return runProgram(
    {
      name: "anchoreval",
      summary: "a language model's full benchmark score from its answers to a few dozen items",
      version: packageVersion(),
      commands: [
        estimateCommand,
        compareCommand,
        checkCommand,
        planCommand,
        exportCommand,
        showCommand,
        tokenCommand,
        keygenCommand,
        signCommand,
        completionCommand,
      ],
      external: {
        summaries: TRAINER_COMMANDS,
        run: (args, what) => runTrainer(args, [join(process.cwd(), "index.js"), import.meta.url], streams, what),
      },
    },
    argv,
    streams,
  );
}

function packageVersion(): string {
  const file = fileURLToPath(new URL("../../package.json", import.meta.url));
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
