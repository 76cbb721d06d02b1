import { groupBy } from "anchoreval/internal/logs/run-log";
import { firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { type ResponseMatrix, scoreAt } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import type { BorderFinding } from "./findings.ts";

/** White space at an end of a name, and characters that take no room; not those that flags end with. */
const AT_AN_END = /^[\s\p{Cf}]|[\s\p{Cf}](?<![\u{e0020}-\u{e007f}])$/u;

/** The name of the mean over all scenarios in tables and documents. */
const OVERALL = "overall";

/**
 * Names that people can't tell apart, or that are something else's: white space at an end, refused, since it is never meant;
 * names that differ by case, white space or form of Unicode alone, or are one number, `1` and `1.0`, refused of items where no
 * model answered both; and a scenario called overall.
 */
export function likeIds(matrix: ResponseMatrix): BorderFinding[] {
  const { subjects, items } = matrix;
  const byScenario = groupBy(items, ({ scenario }) => scenario);
  const scenarios = [...byScenario.keys()];
  const kinds: [string, readonly string[]][] = [
    ["model", subjects],
    ["scenario", scenarios],
    ...Array.from(byScenario, ([id, ofScenario]): [string, string[]] => [
      `subscenario of ${id}`,
      [...new Set(ofScenario.flatMap(({ subscenario }) => subscenario ?? []))],
    ]),
    ["item", items.map((item) => item.item_id)],
  ];
  return [
    ...kinds.flatMap(([kind, names]) => spaced(kind, names)),
    ...kinds.flatMap(([kind, names]) => alike(kind, names)),
    ...sameNumbers(matrix),
    ...scenarios
      .filter((id) => id.toLowerCase() === OVERALL)
      .map((id) => ({
        code: "reserved_name",
        refused: true,
        names: [id],
        message: `a scenario is called ${quoted(id)}, as the mean over all scenarios is: give it another name`,
      })),
  ];
}

function spaced(kind: string, names: readonly string[]): BorderFinding[] {
  const wrong = names.filter((name) => AT_AN_END.test(name));
  if (wrong.length === 0) return [];
  const whose =
    wrong.length === 1
      ? `${kind} ${quoted(wrong[0]!)} has`
      : `${wrong.length} names of ${kind === "item" ? "an" : "a"} ${kind} have`;
  const which = wrong.length === 1 ? "" : ` (${firstFew(wrong)})`;
  const message = `${whose} white space at an end${which}: take it away`;
  return [{ code: "id_white_space", refused: true, names: wrong, message }];
}

function alike(kind: string, names: readonly string[]): BorderFinding[] {
  const groups = groupBy(names, kind === "model" ? modelKeys(names) : plainName);
  const collisions = [...groups.values()].filter((group) => group.length > 1);
  if (collisions.length === 0) return [];
  const besides = kind === "model" ? ", the organization" : "";
  const message = `names of ${kind === "item" ? "an" : "a"} ${kind} differ by case, white space, quotes${besides}, Unicode's forms or how a number is written alone: ${groupWords(collisions)}; if each is one, give it one name`;
  return [{ code: "ids_alike", names: collisions.flat(), message }];
}

/** Models' names, without an organization where a model of the same name has none, and without a slash at the end. */
function modelKeys(names: readonly string[]): (name: string) => string {
  const plain = (name: string): string => plainName(name.replace(/\/+$/u, ""));
  const bare = new Set(names.map(plain).filter((name) => !name.includes("/")));
  return (name) => {
    const key = plain(name);
    const last = key.slice(key.lastIndexOf("/") + 1);
    return bare.has(last) ? last : key;
  };
}

/** A name without what people don't see, or what programs write otherwise. */
function plainName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .replace(/[\p{Pd}\u2212]/gu, "-")
    .replace(/\s+/gu, " ")
    .replace(/^[\s'"\u2018-\u201f]+|[\s'"\u2018-\u201f]+$/gu, "")
    .replace(/(^|\/)0*(\d+)(?:\.0+)?$/u, "$1$2")
    .toUpperCase() // ß is SS
    .toLowerCase();
}

/**
 * Items of one number of which no model answered both: tables have `1.0` for `1` where a row's id is missing, and `7` for `007`
 * from a spreadsheet.
 */
function sameNumbers(matrix: ResponseMatrix): BorderFinding[] {
  const columns = new Map<string, number[]>();
  for (const [column, { item_id: id }] of matrix.items.entries()) {
    const number = /^(.*\/)?0*(\d+)(?:\.0*)?$/s.exec(id);
    if (number === null) continue;
    const key = `${number[1] ?? ""}${number[2]}`;
    columns.set(key, [...(columns.get(key) ?? []), column]);
  }
  const hasBoth = (group: readonly number[]): boolean =>
    matrix.subjects.some((_, row) => group.filter((column) => !Number.isNaN(scoreAt(matrix, row, column))).length > 1);
  const groups = [...columns.values()].filter((group) => group.length > 1 && !hasBoth(group));
  if (groups.length === 0) return [];
  const names = groups.map((group) => group.map((column) => matrix.items[column]!.item_id));
  const message = `ids of an item are one number in other writing: ${groupWords(names)}; no model answered both, so write them alike`;
  return [{ code: "ids_alike", refused: true, names: names.flat(), message }];
}

/** Names that are alike, a few groups of many. @example '"a" and "A"; "b" and "B"' */
function groupWords(groups: readonly (readonly string[])[]): string {
  const shown = groups.slice(0, 3).map((group) => group.slice(0, 3).map(quoted).join(" and "));
  return shown.join("; ") + (groups.length > shown.length ? `, and ${groups.length - shown.length} more` : "");
}
