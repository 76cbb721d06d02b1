import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { AnchorEvalError } from "../../sdk/core/errors.ts";
import { type RunLog, UNTOLD_RUN, UNTOLD_TASK } from "../../sdk/logs/run-log.ts";
import { invalidLog } from "../../sdk/logs/score-rows.ts";
import { type FormatReaders, logsAmong, type LogReader } from "../../sdk/node/logs/log-files.ts";
import { firstFew } from "../../sdk/tables/data-issues.ts";
import { counted } from "../../sdk/words/figures.ts";
import {
  BENCHMARK_COLUMNS,
  ITEM_COLUMNS,
  readBenchmarks,
  readItems,
  readResponses,
  readSubjects,
  type Registry,
  RESPONSE_COLUMNS,
  type Responses,
  responseSamples,
  SUBJECT_COLUMNS,
  subjectNames,
} from "./sdk.ts";

/** Tables that are beside responses. */
const OTHERS = /(?:^|[/\\])(?:subjects|items|benchmarks|assets|(?:[^/\\]*_)?traces)\.parquet$/i;
const PARQUET = /\.parquet$/i;

/**
 * Responses of measurement-db, Parquet, with their `subjects`, `items` and `benchmarks`: `BENCHMARK.parquet` beside these,
 * `DATASET/responses.parquet` or `DATASET/processed/responses.parquet` with `_registry` beside the data set, or
 * `DATASET/formatted_tables/responses.parquet` beside these. A run is a subject on a benchmark, under one condition.
 */
export const measurementDbLogs: LogReader<Responses> = {
  beside: OTHERS,

  async find(all, { readParquet, onRemark }) {
    const files = logsAmong(all, (file) => PARQUET.test(file), `${LAYOUT} are Parquet`);
    const candidates = files.filter(({ file }) => !OTHERS.test(file));
    const [first] = candidates;
    if (first === undefined) return [];
    if (!readParquet)
      throw new AnchorEvalError(
        "unsupported",
        `${first.file}: tables of measurement-db are Parquet, which anchoreval-trainer reads: npm install anchoreval-trainer`,
      );
    const registries = new Map<string, Registry>();
    const tables: { readonly registry: Registry; readonly runs: readonly Responses[]; readonly file: string }[] = [];
    for (const { file, named } of candidates) {
      if (!(await hasResponses(file, readParquet))) {
        if (named) throw invalidLog(file, `${LAYOUT} have the columns ${RESPONSE_COLUMNS.all.join(", ")}`);
        continue;
      }
      const place = registryOf(file);
      const registry = registries.get(place) ?? (await readRegistry(place, readParquet));
      registries.set(place, registry);
      const rows = readParquet(file, present(RESPONSE_COLUMNS));
      tables.push({ registry, runs: await readResponses(rows, registry, { file, fallback: benchmarkOf(file) }), file });
    }
    const subjects = new Map([...registries.values()].flatMap((registry) => [...registry.subjects]));
    const { names, shared } = subjectNames(subjects);
    if (shared.length > 0)
      onRemark(`several subjects have one name, and are called by name and id, NAME@SUBJECT_ID: ${firstFew(shared)}`);
    remarkOnNames(registries, tables, onRemark);
    return tables.flatMap(({ registry, runs, file }) =>
      runs.map((run): RunLog<Responses> => {
        const taskResults = registry.benchmarks.get(run.benchmark) ?? UNTOLD_TASK;
        return {
          ...{ file, model: names.get(run.subject)!, task: run.task, date: "", resultsFile: null, content: run },
          ...{ about: registry.subjects.get(run.subject)!.about },
          results: { ...UNTOLD_RUN, tasks: new Map([[run.task, taskResults]]) },
        };
      }),
    );
  },

  lacking: () => `there are no ${LAYOUT}: BENCHMARK.parquet, or responses.parquet`,

  read({ content }, options) {
    return Promise.resolve(responseSamples(content!, options));
  },
};

/** Says what isn't called by the benchmark's own names. */
function remarkOnNames(
  registries: ReadonlyMap<string, Registry>,
  tables: readonly { readonly runs: readonly Responses[] }[],
  onRemark: (words: string) => void,
): void {
  const runs = tables.flatMap((table) => table.runs);
  const conditions = new Set(runs.flatMap(({ task, benchmark }) => (task === benchmark ? [] : [task])));
  if (conditions.size > 0)
    onRemark(`what was asked under a test condition is a task of its own, BENCHMARK@CONDITION: ${firstFew([...conditions])}`); // prettier-ignore
  const items = [...registries.values()].flatMap((registry) => [...registry.items]);
  const unnamed = items.filter(([id, { document }]) => document === id).length;
  if (unnamed > 0)
    onRemark(`${counted(unnamed, "item")} without a raw_item_id that is theirs alone ${unnamed === 1 ? "is" : "are"} called by item_id`); // prettier-ignore
}

const LAYOUT = "responses of measurement-db";

type ReadParquet = NonNullable<FormatReaders["readParquet"]>;

interface Columns {
  readonly all: readonly string[];
  readonly some: readonly string[];
}

/** The columns to read of a table: those that all layouts have, and of the others those that it has. */
function present({ all, some }: Columns): (names: readonly string[]) => readonly string[] {
  return (names) => [...all, ...some.filter((name) => names.includes(name))];
}

async function hasResponses(file: string, readParquet: ReadParquet): Promise<boolean> {
  let columns: readonly string[] = [];
  const rows = readParquet(file, (names) => {
    columns = names;
    return names.slice(0, 1);
  });
  const iterator = rows[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.return?.();
  return RESPONSE_COLUMNS.all.every((name) => columns.includes(name));
}

/** The folder of the subjects and items that responses are of. */
function registryOf(file: string): string {
  const folder = dirname(resolve(file));
  const places = [folder, join(dirname(folder), "_registry"), join(dirname(dirname(folder)), "_registry")];
  const place = places.find((path) => existsSync(join(path, "subjects.parquet")));
  if (place === undefined)
    throw invalidLog(
      file,
      `it names subjects and items by ids, and there is no subjects.parquet in ${places.join(", ")}`,
    );
  return place;
}

async function readRegistry(place: string, readParquet: ReadParquet): Promise<Registry> {
  const [subjects, items, benchmarks] = ["subjects", "items", "benchmarks"].map((name) =>
    join(place, `${name}.parquet`),
  ) as [string, string, string];
  return {
    subjects: await readSubjects(readParquet(subjects, present(SUBJECT_COLUMNS)), subjects),
    items: await readItems(readParquet(items, present(ITEM_COLUMNS)), items),
    benchmarks: existsSync(benchmarks)
      ? await readBenchmarks(readParquet(benchmarks, present(BENCHMARK_COLUMNS)), benchmarks)
      : new Map(),
  };
}

/** The benchmark by the name of its file, or of its data set's folder. */
function benchmarkOf(file: string): string {
  const name = basename(file).replace(PARQUET, "");
  const folder = dirname(resolve(file));
  if (name !== "responses") return name;
  return basename(/^(?:processed|formatted_tables)$/.test(basename(folder)) ? dirname(folder) : folder);
}
