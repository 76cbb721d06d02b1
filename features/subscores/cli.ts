import { invalidOption } from "anchoreval/internal/core/errors";
import type { ItemGroup } from "anchoreval-trainer/internal/features/subscores/fit/groups";
import type { ItemTable } from "anchoreval-trainer/internal/matrix/item-table";
import type { ItemInfo } from "anchoreval-trainer/internal/matrix/response-matrix";
import { quoted } from "anchoreval/internal/tables/data-issues";
import { counted, listed, percent } from "anchoreval/internal/words/figures";
import { option, rare, flag } from "../../cli/src/program/command.ts";
import type { FitOptionPart } from "../../cli/src/options/fit.ts";
import type { Subscore } from "anchoreval/internal/features/subscores/sdk/subscores";
import { intervalWords, scoreWords } from "anchoreval/internal/words/result-words";
import type { ResultParts } from "../../cli/src/program/summary.ts";
import type { EstimatePart } from "../../cli/src/options/parts.ts";

/** Thirds by the calibrated difficulty, where the file of items has no column of that name. */
const DIFFICULTY = "difficulty";

/** `fit --subscores`: groups of items whose scores the bundle tells. */
export const learnSubscores: FitOptionPart = {
  options: {
    Extensions: rare({
      subscores: option(
        "COLUMN[,COLUMN…]",
        `learn scores of groups of items, by columns of --items (subscenario, your own); ${DIFFICULTY}: thirds by difficulty`,
      ),
    }),
  },
  read({ options, output, reading: { items: file } }) {
    const asked = options.text("subscores");
    if (asked === undefined) return null;
    const columns = [...new Set(asked.split(",").map((name) => name.trim()))];
    if (columns.includes("")) throw invalidOption(`--subscores names columns, parted by commas; got ${quoted(asked)}`);
    return async ({ matrix: { items } }) => {
      const { readItemTable } = await import("anchoreval-trainer/internal/matrix/item-table");
      const { withSubscores } = await import("anchoreval-trainer/internal/features/subscores/fit/with-subscores");
      const foreign = columns.some((name) => name !== "subscenario" && name !== DIFFICULTY);
      if (foreign && file === undefined)
        throw invalidOption("--subscores names columns of --items FILE, which isn't given");
      const table = file === undefined ? null : await readItemTable(file);
      const difficulty = columns.includes(DIFFICULTY) && table?.columns.includes(DIFFICULTY) !== true;
      const taken = new Set<string>();
      const all = columns.flatMap((column): ItemGroup[] => {
        if (column === DIFFICULTY && difficulty) return [];
        const groups =
          column === "subscenario"
            ? groupsBy(items, column, ({ subscenario }) => (subscenario === undefined ? [] : [subscenario]))
            : tableGroups(items, table!, column);
        const clashes = groups.some(({ name }) => taken.has(name)); // two columns may use one word for two things
        for (const { name } of groups) taken.add(name);
        return clashes ? groups.map((group) => ({ ...group, name: `${column}: ${group.name}` })) : groups;
      });
      const by = [...columns.filter((name) => name !== DIFFICULTY || !difficulty), ...(difficulty ? ["calibrated difficulty"] : [])]; // prettier-ignore
      output.remark(`subscores by ${listed(by)}${all.length > 0 ? `: ${counted(all.length, "group")}` : ""}`);
      return { part: withSubscores(items, { groups: all, difficulty }) };
    };
  },
};

function tableGroups(items: readonly ItemInfo[], table: ItemTable, column: string): ItemGroup[] {
  const at = table.columns.indexOf(column);
  if (at < 0)
    throw invalidOption(
      `--subscores ${column}: ${table.name} has no such column; it has ${listed(table.columns.map(quoted))}`,
    );
  const id = table.columns.indexOf("item_id");
  const cells = new Map(table.rows.map((row) => [row[id]!, cellGroups(row[at]!)]));
  return groupsBy(items, column, ({ item_id: item }) => cells.get(item) ?? []);
}

/** A cell's groups: a list of JSON lines names several, an empty cell none. */
function cellGroups(cell: string): string[] {
  if (cell.trim() === "") return [];
  if (!cell.startsWith("[")) return [cell];
  try {
    const names = JSON.parse(cell) as unknown[];
    return names.map((name) => (typeof name === "string" ? name : JSON.stringify(name)));
  } catch {
    return [cell];
  }
}

/** Groups by what a column says of each item, every scenario's by themselves. @throws AnchorEvalError `invalid_option` */
function groupsBy(
  items: readonly ItemInfo[],
  column: string,
  namesOf: (item: ItemInfo) => readonly string[],
): ItemGroup[] {
  const scenarios = new Map<string, Map<string, string[]>>();
  let members = 0;
  for (const item of items)
    for (const name of new Set(namesOf(item))) {
      const groups = scenarios.get(item.scenario) ?? new Map<string, string[]>();
      scenarios.set(item.scenario, groups.set(name, [...(groups.get(name) ?? []), item.item_id]));
      members++;
    }
  const groups = [...scenarios.values()].flatMap((groups) =>
    Array.from(groups, ([name, ids]) => ({ name, items: ids })),
  );
  if (groups.length === 0) throw invalidOption(`--subscores ${column}: no item has a ${column}`);
  if (2 * groups.length > members)
    throw invalidOption(
      `--subscores ${column}: ${counted(groups.length, "group")} of ${counted(members, "item")} have hardly two items each: name a column of fewer values`,
    );
  return groups;
}

/** `estimate --subscores`: a table of the bundle's groups of items. */
export const estimateSubscores: EstimatePart = {
  options: { Estimate: { subscores: flag("also the scores of the bundle's groups of items, such as subjects") } },
  read: ({ options }) => (options.flag("subscores") ? { options: () => ({ subscores: true }) } : null),
  words: ({ subscores }) => (subscores === undefined ? null : { after: subscoreParts(subscores) }),
};

function subscoreParts(subscores: readonly Subscore[]): ResultParts {
  const level = subscores.find(({ interval }) => interval !== null)?.interval?.level;
  const several = new Set(subscores.map(({ scenario }) => scenario)).size > 1;
  const rows = subscores.map(({ scenario, name, items, answered, score, interval, reason }) => [
    several ? `${scenario}: ${name}` : name,
    scoreWords(score),
    score === null ? "" : intervalWords(interval),
    `${answered} of ${items}`,
    reason === null ? "" : score === null ? `too little to say: ${reason}` : `no interval: ${reason}`,
  ]);
  const heading = ["", "score", level === undefined ? "interval" : `${percent(level)} interval`, "answered", ""];
  return ["", { rows: [heading, ...rows], align: "lrrrl" }];
}
