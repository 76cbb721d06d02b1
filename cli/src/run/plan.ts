import { invalidOption } from "anchoreval/internal/core/errors";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import type { Choose } from "anchoreval/internal/logs/choices";
import type { Installed } from "./harness-process.ts";

/** All that a harness's run is planned from. */
export interface PlanInput {
  readonly bundle: Bundle;
  /** Those of the form. */
  readonly anchors: readonly AnchorRecord[];
  /** Of tasks whose documents are named by a field of theirs, not by their places: that field. */
  readonly fields: ReadonlyMap<string, string>;
  /** The harness's own arguments. */
  readonly words: readonly string[];
  /** Null where none is installed, of a dry run. */
  readonly harness: Installed | null;
  readonly folder: string;
  readonly choose: { readonly metric: Choose; readonly filter: Choose };
  /** Changed items count as missing. */
  readonly dropChanged: boolean;
  readonly signal: AbortSignal;
}

/** A harness's command. */
export interface RunCommand {
  readonly words: readonly string[];
  /** An earlier run brought it to its end. */
  readonly done: boolean;
  /** Why it ended too early, by its logs, where these tell; null where they say that it came to its end. */
  readonly broken?: () => Promise<BrokenRun | null>;
}

/** A run that broke off. */
interface BrokenRun {
  readonly reason: string;
  /** Items that were answered and scored; null where nothing tells. */
  readonly answered: number | null;
}

/** How a harness runs the anchors. */
export interface RunPlan {
  /** One after another. */
  readonly commands: readonly RunCommand[];
  /** Files that they read, in the run's folder. */
  readonly files: readonly (readonly [file: string, text: string])[];
  /** The anchors, named as the logs will name them. */
  readonly anchors: readonly AnchorRecord[];
  /** Sentences that should be known before the run. */
  readonly remarks: readonly string[];
}

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
