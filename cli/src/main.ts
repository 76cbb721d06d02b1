import { COMPLETE, type OptionReader } from "./program/command.ts";
import { COMMANDS } from "./commands.ts";
import { reportError } from "./program/errors.ts";
import { createOutput, programWords, STANDARD, type Streams } from "./program/output.ts";
import { packageVersion, programNear, TrainerMissing, withTrainer } from "./program/trainer.ts";

const SUMMARY = "a language model's full benchmark score from its answers to a few dozen items";

/**
 * The program as a process. What a command found stands in its exit code, whether anybody reads the words or not (… | head).
 * @returns the command's exit code; 1 for 0 where standard output could not be written
 */
export async function program(argv: readonly string[]): Promise<number> {
  const code = await main(argv, STANDARD);
  const why = await STANDARD.stdout.lost();
  if (why !== null) STANDARD.stderr.write(`anchoreval: standard output could not be written: ${why} [unavailable]\n`);
  return code === 0 && why !== null ? 1 : code;
}

/**
 * The program `anchoreval`.
 * @returns the exit code: 0 done, 1 failed, 2 bad input or usage; commands may have codes of their own
 */
export async function main(argv: readonly string[], streams: Streams): Promise<number> {
  const [name, ...rest] = argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
  if (name === undefined || name === "--help" || name === "-h") {
    const { helpWidth, programHelp } = await import("./program/help.ts");
    streams.stdout.write(programHelp(SUMMARY, COMMANDS, helpWidth(streams.stdout.columns)));
    return name === undefined ? 2 : 0;
  }
  if (name === "--version") {
    streams.stdout.write(`${packageVersion()}\n`);
    return 0;
  }
  if (name === COMPLETE) {
    const { candidates } = await import("./program/completion.ts");
    for (const word of await candidates(rest, COMMANDS)) streams.stdout.write(`${word}\n`);
    return 0;
  }
  const entry = COMMANDS.find((command) => command.name === name);
  if (!entry) {
    const names = COMMANDS.map((command) => command.name);
    const near = (await import("./program/parse.ts")).nearestName(name, names);
    streams.stderr.write(
      `anchoreval: there is no command ${name}${near === null ? "" : `; did you mean ${near}?`}\nThere are ${names.join(", ")}: see anchoreval --help\n`,
    );
    return 2;
  }
  const words = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest; // what follows is for another program
  const controller = new AbortController();
  const interrupt = (): void => controller.abort();
  process.once("SIGINT", interrupt);
  let options: OptionReader | null = null;
  try {
    const whole = await withTrainer(name, entry.load);
    const all = words.includes("--help-all");
    if (all || words.includes("--help") || words.includes("-h")) {
      const [{ commandHelp, helpWidth }, { findCall }] = await Promise.all([
        import("./program/help.ts"),
        import("./program/actions.ts"),
      ]);
      const width = helpWidth(streams.stdout.columns);
      streams.stdout.write(commandHelp(entry, findCall(name, whole, rest), { all, width }));
      return 0;
    }
    const { parseCommand } = await import("./program/parse.ts");
    const { command, ...parsed } = parseCommand(name, whole, rest);
    options = parsed.options;
    const output = createOutput({ json: options.flag("json"), quiet: options.flag("quiet") }, streams);
    const code = await command.run({ ...parsed, output, signal: controller.signal });
    return typeof code === "number" ? code : 0;
  } catch (error) {
    if (!(error instanceof TrainerMissing)) {
      const code = reportError(error, streams, words.includes("--json"));
      if (options?.isGiven("summary") || options?.isGiven("junit")) {
        const { noteFailure } = await import("./program/junit.ts");
        const why = programWords(error instanceof Error ? error.message : String(error));
        await noteFailure(name, options, why).catch((unwritten: unknown) => reportError(unwritten, streams, false));
      }
      return code;
    }
    const other = programNear(process.cwd());
    if (other !== null) return await ((await import(other.href)) as { main: typeof main }).main(argv, streams);
    streams.stderr.write(`anchoreval: ${error.message}\n`);
    return 2;
  } finally {
    process.removeListener("SIGINT", interrupt);
  }
}
