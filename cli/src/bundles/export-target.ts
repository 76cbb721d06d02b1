import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { samplesByTask } from "anchoreval/internal/logs/harness-arguments";
import { fittedValue } from "anchoreval/internal/logs/protocol";

/** A form, and where its files go. */
export interface ExportedForm {
  readonly bundle: Bundle;
  /** The bundle's, as `--bundle` takes it. */
  readonly place: string;
  readonly form: string;
  readonly anchors: readonly AnchorRecord[];
  /** Tasks and documents are a file's, not the bundle's. */
  readonly itemsGiven: boolean;
  /** Where the files of one's own tasks are: their folder, or one of them; absent where they are where the logs say. */
  readonly taskFiles?: string;
  readonly out: string;
  /** Of the files' names. */
  readonly base: string;
}

/** A form for a harness: the files to write, what runs it, and what to know. */
export interface Exported {
  readonly files: readonly (readonly [file: string, text: string])[];
  /** Further fields of the JSON. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** The commands that run them, and where they put their logs. */
  readonly run?: {
    readonly heading: string;
    readonly commands: readonly string[];
    readonly logs: string;
    readonly notes: readonly string[];
    /** The command whose own table shows the estimate. */
    readonly table?: { readonly heading: string; readonly command: string };
  };
}

/** A harness, or a format, that anchors can be exported to. */
export interface ExportTarget {
  /** The files' contents, for the help. */
  readonly words: string;
  /** Items are asked by names that no other benchmark's have, whoever the bundle's are from. @default by the harness's own numbers */
  readonly named?: boolean;
  /** It takes any names: a bundle of which nothing says that they are this harness's is refused. @default it refuses what it doesn't know */
  readonly unchecked?: boolean;
  /** `run` runs it, too, and its tasks may be files of one's own. */
  readonly runs?: boolean;
  /** @throws AnchorEvalError `unsupported` for anchors that it can't be told to ask */
  export(form: ExportedForm): Exported;
}

/** The temperature that all answers to a task were drawn with, of the runs that a bundle was fitted on; undefined where nothing says it. */
export function fittedTemperature({ manifest: { protocol } }: Bundle, task: string): number | undefined {
  const [, temperature] = /"temperature":(\d+(?:\.\d+)?)/.exec(String(fittedValue(protocol, "generation", task))) ?? [];
  return temperature === undefined ? undefined : Number(temperature);
}

/** For a harness that has no option for single samples: a list by task, for what the user builds of it. */
export function listTarget(words: string, ending: string, name: string): ExportTarget {
  return {
    words,
    unchecked: true,
    export({ anchors, base }) {
      const samples = samplesByTask(anchors);
      return { files: [[`${base}${ending}`, `${JSON.stringify(samples)}\n`]], extra: { [name]: samples } };
    },
  };
}
