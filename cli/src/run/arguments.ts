import { invalidOption } from "../program/command.ts";

/** Options of a harness that a run decides by itself, and why they can't be given. */
export type Decided = readonly (readonly [names: readonly string[], why: string])[];

/** @throws AnchorEvalError `invalid_option` for one of them among the harness's own arguments */
export function refuseDecided(words: readonly string[], decided: Decided): void {
  for (const [names, why] of decided) {
    const named = names.find((name) => isGiven(words, name));
    if (named !== undefined) throw invalidOption(`${named} isn't for the harness's own arguments here: ${why}`);
  }
}

/**
 * The values of an option among a harness's arguments, `--name value` and `--name=value`.
 * @example valuesOf(["--include_path", "tasks", "-f=5"], "--num_fewshot", "-f") // ["5"]
 */
export function valuesOf(words: readonly string[], ...names: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    if (names.includes(word)) return words.slice(index + 1, index + 2);
    const name = names.find((option) => word.startsWith(`${option}=`));
    return name === undefined ? [] : [word.slice(name.length + 1)];
  });
}

/** Whether a flag or option is among a harness's arguments. */
export function isGiven(words: readonly string[], ...names: readonly string[]): boolean {
  return words.some((word) => names.some((name) => word === name || word.startsWith(`${name}=`)));
}
