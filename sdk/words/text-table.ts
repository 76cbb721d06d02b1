/**
 * Rows as aligned columns, two spaces apart.
 * @param align - `l` or `r` for each column
 */
export function textTable(rows: readonly (readonly string[])[], align: string): string[] {
  const widths = Array.from(align, (_, column) => Math.max(0, ...rows.map((row) => visibleLength(row[column] ?? ""))));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const space = " ".repeat(Math.max(0, widths[column]! - visibleLength(cell)));
        return align[column] === "r" ? space + cell : cell + space;
      })
      .join("  ")
      .trimEnd(),
  );
}

/** Characters that a person sees, near enough for a table. */
function visibleLength(text: string): number {
  return Array.from(text).length;
}
