// Takes the comments out of the SDK's built JavaScript, and indents it by tabs: the declarations beside it keep the
// docstrings, and the package stays under 1 MB. Run after `tsc -b`. What tells bundlers that a call can fall away stays.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const dist = fileURLToPath(new URL("../sdk/dist", import.meta.url));
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith(".js")) continue;
  const path = join(entry.parentPath, entry.name);
  const text = readFileSync(path, "utf8");
  const stripped = withTabs(path, withoutComments(path, text));
  if (stripped !== text) writeFileSync(path, stripped);
}

function withoutComments(path, text) {
  const found = new Map();
  const note = (begin, end) => {
    if (!text.slice(begin, end).includes("__PURE__")) found.set(begin, end);
  };
  const visit = (node) => {
    ts.forEachLeadingCommentRange(text, node.getFullStart(), note);
    ts.forEachTrailingCommentRange(text, node.getEnd(), note);
    for (const child of node.getChildren()) visit(child);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.JS));
  let at = 0;
  let kept = "";
  for (const [begin, end] of [...found].sort(([one], [other]) => one - other)) {
    const line = text.lastIndexOf("\n", begin - 1) + 1;
    const alone = /^[ \t]*$/.test(text.slice(line, begin)) && text[end] === "\n";
    kept += text.slice(at, alone ? Math.max(at, line) : begin);
    at = alone ? end + 1 : end;
  }
  return kept + text.slice(at);
}

/** Four spaces at the beginning of a line as a tab, but for lines within a template's text. */
function withTabs(path, text) {
  const kept = [];
  const visit = (node) => {
    if (ts.isTemplateLiteralToken(node)) kept.push([node.getStart(), node.getEnd()]);
    for (const child of node.getChildren()) visit(child);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.JS));
  return text.replace(/^(?: {4})+/gm, (spaces, at) =>
    kept.some(([begin, end]) => begin < at && at < end) ? spaces : "\t".repeat(spaces.length / 4),
  );
}
