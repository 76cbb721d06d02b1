import { AnchorEvalError } from "anchoreval/core";

/** What a column of a long table may hold. */
export const COLUMN_ROLES = ["model", "item", "score", "scenario", "subscenario", "weight", "text", "hash"] as const;

/** What a column of a long table holds. */
export type ColumnRole = (typeof COLUMN_ROLES)[number];

/** A long table's columns by what they hold; the item's may be several, joined by +. */
export type TableColumns = Readonly<Partial<Record<ColumnRole, string>>> &
  Readonly<Record<"model" | "item" | "score", string>>;

const USUAL = { model: "model", item: "item_id", score: "score" } as const;

/**
 * Reads `--columns`: `ROLE=COLUMN`, several by commas or by giving the option again.
 * @throws AnchorEvalError `invalid_option`
 * @example parseTableColumns(["model=llm,item=task+doc_id"]) // { model: "llm", item: "task+doc_id", score: "score" }
 */
export function parseTableColumns(values: readonly string[]): TableColumns {
  const columns: Partial<Record<ColumnRole, string>> = {};
  for (const part of values.flatMap((value) => value.split(","))) {
    const equals = part.indexOf("=");
    const role = part.slice(0, Math.max(equals, 0)).trim();
    const column = part.slice(equals + 1);
    if (!isRole(role) || column === "")
      throw new AnchorEvalError(
        "invalid_option",
        `--columns is ROLE=COLUMN,…, where ROLE is ${COLUMN_ROLES.join(", ")}; got ${part}`,
      );
    if (columns[role] !== undefined)
      throw new AnchorEvalError("invalid_option", `--columns names ${role} twice: ${columns[role]} and ${column}`);
    columns[role] = column;
  }
  if (columns.subscenario !== undefined && columns.scenario === undefined)
    throw new AnchorEvalError("invalid_option", "--columns: a subscenario is part of a scenario: name its column too");
  return { ...USUAL, ...columns };
}

function isRole(name: string): name is ColumnRole {
  return (COLUMN_ROLES as readonly string[]).includes(name);
}
