// Options of the scripts beside this one.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * The options that a script was called with. `--help` prints the script's first comment, which has its usage; so do words that
 * it doesn't take, with exit code 2.
 * @param url - the script's import.meta.url
 * @param defaults - by option: a boolean makes a switch, a list takes several, null has no default
 * @param places - how many folders or files the script needs
 */
export function readOptions(url, defaults, places = 0) {
  const [usage] = /^(\/\/.*\n)+/.exec(readFileSync(fileURLToPath(url), "utf8"));
  const print = (to, words) => to.write(`${words}${usage.replaceAll(/^\/\/ ?/gm, "")}`);
  const options = Object.entries({ ...defaults, help: false }).map(([name, value]) => [
    name,
    {
      type: typeof value === "boolean" ? "boolean" : "string",
      multiple: Array.isArray(value),
      ...(value !== null && { default: value }),
    },
  ]);
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: Object.fromEntries(options) });
    if (values.help) {
      print(process.stdout, "");
      process.exit(0);
    }
    if (positionals.length !== places)
      throw new Error(`needs ${places} ${places === 1 ? "folder" : "folders"}, got ${positionals.length}`);
    return { values, positionals };
  } catch (error) {
    print(process.stderr, `${error.message}\n\n`);
    process.exit(2);
  }
}
