import { type HarnessWriter, loggedScore, type Style, type WrittenRun } from "./board.ts";
import { lineBytes, put } from "./files.ts";

/** One table of all scores: long, or wide, as CSV in its dialects or as JSON lines. */
export const tableWriter: HarnessWriter = {
  from: "table",
  repeats: true,
  failedScore: null,
  isSplit: false,
  hasContents: false,
  idOf: ({ id }) => String(id),
  write(folder, runs, style) {
    const rows = runs.flatMap(({ model, task, samples }) =>
      samples.flatMap(({ id, attempts }) =>
        attempts.map((attempt, k) => ({
          model,
          item_id: `${task}/${id}`,
          trial: String(k),
          score: loggedScore(attempt, null) as string | number | null,
        })),
      ),
    );
    if (style.is("rows in another order")) style.random.shuffle(rows);
    const isRepeated = runs.some(({ samples }) => samples.some(({ attempts }) => attempts.length > 1));
    if (!isRepeated && style.is("a row a model"))
      return void put(folder, "scores.csv", lineBytes(wideLines(runs), style));
    const columns = ["model", "item_id", ...(isRepeated ? ["trial"] : []), "score"] as const;
    if (style.is("JSON lines")) {
      const lines = rows.map((row) =>
        JSON.stringify(Object.fromEntries(columns.map((name) => [name, row[name as keyof typeof row]]))),
      );
      put(folder, "scores.jsonl", lineBytes(lines, style));
    } else put(folder, "scores.csv", lineBytes(csvLines(rows, columns, style), style));
  },
};

type Row = Readonly<Record<string, string | number | null>>;

function csvLines(rows: readonly Row[], columns: readonly string[], style: Style): string[] {
  const order = style.is("columns in another order") ? style.random.shuffle([...columns]) : columns;
  const sign = style.is("semicolons") ? ";" : ",";
  const comma = sign === ";" && style.is("decimal commas");
  const missing = style.pick(["", "NA", "NaN", "null", ""]);
  const quoted = style.is("quotes");
  const cell = (value: string | number | null): string => {
    const text = value === null ? missing : comma ? String(value).replace(".", ",") : String(value);
    return quoted && typeof value === "string" ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const end = style.is("a separator at every end") ? sign : "";
  const lines = [order, ...rows.map((row) => order.map((name) => row[name]!))].map(
    (values) => values.map((value) => cell(value)).join(sign) + end,
  );
  return sign === ";" && style.is("sep=") ? ["sep=;", ...lines] : lines;
}

/** The runs' scores as a row a model; of samples that were asked once. */
function wideLines(runs: readonly WrittenRun[]): string[] {
  const items = [...new Set(runs.flatMap(({ task, samples }) => samples.map(({ id }) => `${task}/${id}`)))];
  const models = [...new Set(runs.map(({ model }) => model))];
  const cells = new Map(
    runs.flatMap(({ model, task, samples }) =>
      samples.map(({ id, attempts: [first] }) => [`${model} ${task}/${id}`, first!.failed ? "" : String(first!.score)]),
    ),
  );
  return [
    `model,${items.join(",")}`,
    ...models.map((model) => [model, ...items.map((id) => cells.get(`${model} ${id}`) ?? "")].join(",")),
  ];
}
