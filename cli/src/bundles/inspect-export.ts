import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { invalidOption } from "anchoreval/internal/core/errors";
import { inspectArguments, samplesByTask } from "anchoreval/internal/logs/harness-arguments";
import { fittedCall } from "anchoreval/internal/logs/protocol";
import { listed } from "anchoreval/internal/words/figures";
import type { Exported, ExportedForm, ExportTarget } from "./export-target.ts";
import { quote } from "./form-anchors.ts";

/** A command a task, as its runs were called. */
export const inspectExport: ExportTarget = {
  runs: true,
  unchecked: true,
  words: "ids for inspect eval --sample-id",
  export: exportInspect,
};

/** A task as a command names it. */
interface Call {
  /** Its file and name, or its name in a package; alone its name, where nothing says more. */
  readonly place: string;
  /** Its arguments; null where the logs don't say, or differ. */
  readonly passed: readonly string[] | null;
}

function exportInspect({ bundle, anchors, base, taskFiles: moved }: ExportedForm): Exported {
  const samples = samplesByTask(anchors);
  const calls = new Map<string, Call>();
  for (const task of Object.keys(samples)) {
    const [place, ...passed] = fittedCall(bundle.manifest.protocol, "inspect", task) ?? [];
    const now = moved === undefined ? (place ?? task) : movedPlace(task, place, moved);
    calls.set(task, { place: now, passed: place === undefined ? null : passed });
  }
  const commands = Object.entries(samples).map(([task, ids]) => {
    const { place, passed } = calls.get(task)!;
    const words = [...inspectArguments(place, ids, "anchors"), ...(passed ?? [])];
    return ["inspect", ...words.map(quote), "--model PROVIDER/MODEL"].join(" ");
  });
  return {
    files: [[`${base}.inspect.json`, `${JSON.stringify(samples)}\n`]],
    extra: { samples, commands },
    run: { heading: "Run them (put in your model):", commands, logs: "anchors", notes: placeNotes(calls) },
  };
}

/** A task whose file is elsewhere now; a package's task is where it was. */
function movedPlace(task: string, place: string | undefined, moved: string): string {
  const [, file, name = task] = /^(?:(.*)@)?([^@]*)$/.exec(place ?? task)!;
  if (place !== undefined && file === undefined) return place;
  const isFolder = statSync(moved, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder && file === undefined)
    throw invalidOption(
      `--task-files ${moved} is a folder, and nothing says in which of its files ${task} is: name the file`,
    );
  return `${isFolder ? join(moved, basename(file!)) : moved}@${name}`;
}

function placeNotes(calls: ReadonlyMap<string, Call>): string[] {
  const [nowhere, unlike, gone]: [string[], string[], Set<string>] = [[], [], new Set()];
  for (const [task, { place, passed }] of calls) {
    const at = place.lastIndexOf("@");
    if (passed === null) (at < 0 ? nowhere : unlike).push(task);
    if (at >= 0 && !existsSync(place.slice(0, at))) gone.add(place.slice(0, at));
  }
  return [
    ...(nowhere.length === 0 ? [] : [`The logs don't say in one way how to call ${listed(nowhere)}: where the name alone isn't found name the file by --task-files, and put in the arguments (-T) if there are some.`]), // prettier-ignore
    ...(unlike.length === 0 ? [] : [`The logs don't say in one way the arguments of ${listed(unlike)}: put them in (-T) if there are some.`]), // prettier-ignore
    ...Array.from(gone, (file) => `${file} isn't here: start inspect where the models' runs were started, or say by --task-files where it is now.`), // prettier-ignore
  ];
}
