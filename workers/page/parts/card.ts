import { bullets, type Child, element } from "./dom.ts";
import { numbers, table } from "./content.ts";

/**
 * A bundle's card as content: of Markdown the part that cards are written in, headings, paragraphs, lists, tables, code and
 * bold. Anything else stays the text that it is.
 * Its title is left out, since the page has one.
 */
export function cardContent(markdown: string): Child[] {
  return blocks(markdown).map((block): Child => {
    const lines = block.split("\n");
    if (block.startsWith("```")) return element("pre", element("code", lines.slice(1, -1).join("\n")));
    if (block.startsWith("#")) return element("h3", inline(block.replace(/^#+ /, "")));
    if (block.startsWith("- ")) return bullets(cardPoints(block).map(inline));
    if (block.startsWith("|")) return cardTable(lines);
    return element("p", inline(lines.join(" ")));
  });
}

/** Fenced code, and else what blank lines divide; without the title. */
function blocks(markdown: string): string[] {
  const all = Array.from(markdown.matchAll(/^```.*\n[^]*?^```$|(?:^(?!```).+\n?)+/gm), ([block]) => block.trimEnd());
  return all.filter((block) => !block.startsWith("# "));
}

/** The points of a card's list, of which each begins with a term in bold: data, protocol, ids, what it is no longer good for. */
export function cardPoints(markdown: string): string[] {
  return Array.from(markdown.matchAll(/^- (.*(?:\n {2}.*)*)/gm), ([, point]) => point!.replaceAll(/\n +/g, " "));
}

export function inline(text: string): Child {
  return text
    .split(/(\*\*[^*]+\*\*|`[^`]+`)/)
    .map((part) =>
      part.startsWith("**")
        ? element("strong", part.slice(2, -2))
        : part.length > 2 && part.startsWith("`")
          ? element("code", part.slice(1, -1))
          : part,
    );
}

function cardTable([head = "", rule = "", ...rows]: readonly string[]): Child {
  const cells = (line: string): string[] =>
    line
      .replace(/^\| ?| ?\|$/g, "")
      .split(/ ?(?<!\\)\| ?/)
      .map((cell) => cell.replaceAll("\\|", "|"));
  const right = cells(rule).map((cell) => cell.trim().endsWith(":"));
  const columns = cells(head).map((title, k) => (right[k] ? numbers(title) : title));
  return table("Measured errors", columns, rows.map(cells));
}
