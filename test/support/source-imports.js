// What imports what, for tests and for scripts: plain JavaScript, which Node runs without a build.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The repository's root. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * One import of a source file.
 * @typedef {object} SourceImport
 * @property {string} from - the file that imports, from the root, with slashes
 * @property {string} specifier - as it is written
 * @property {string | null} target - the imported file, from the root; null for a package
 * @property {boolean} dynamic - loaded where the code gets there, by `import()`
 */

/**
 * TypeScript and JavaScript sources under a folder of the repository, without builds and dependencies.
 * @param {string} folder
 * @returns {string[]}
 */
export function sourceFiles(folder) {
  /** @type {string[]} */
  const files = [];
  const walk = (/** @type {string} */ path) => {
    for (const entry of readdirSync(join(ROOT, path), { withFileTypes: true })) {
      if (["node_modules", "dist", ".wrangler", "assets"].includes(entry.name)) continue;
      const child = `${path}/${entry.name}`;
      if (entry.isDirectory()) walk(child);
      else if (/\.(ts|js)$/.test(entry.name)) files.push(child);
    }
  };
  walk(folder);
  return files.sort();
}

/**
 * Every module that a source file names: imports, re-exports, dynamic imports and types of them, by the compiler's own parser.
 * @param {string} file
 * @returns {SourceImport[]}
 */
export function importsOf(file, text = readFileSync(join(ROOT, file), "utf8")) {
  /** @type {Pick<SourceImport, "specifier" | "dynamic">[]} */
  const named = [];
  const add = (/** @type {ts.Node | undefined} */ node, dynamic = false) => {
    if (node && ts.isStringLiteralLike(node)) named.push({ specifier: node.text, dynamic });
  };
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      if (argument && ts.isStringLiteralLike(argument)) add(argument, true);
      else named.push({ specifier: "(computed)", dynamic: true });
    } else if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "require")
      add(node.arguments[0]);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return named.map(({ specifier, dynamic }) => ({
    from: file,
    specifier,
    dynamic,
    target: specifier.startsWith(".")
      ? relative(ROOT, resolve(ROOT, dirname(file), specifier))
          .split(sep)
          .join("/")
      : null,
  }));
}

/**
 * Every module that a built file reaches by imports, itself included; dynamic ones count too.
 * @param {string} entry
 * @param {(specifier: string) => string | null} entryOf - the built file behind a package's name, to be followed; null for a
 * name that is listed as it is
 * @param {(edge: SourceImport) => boolean} follows - whether an import is loaded
 * @param {Set<string>} seen
 * @returns {Set<string>}
 */
export function reachable(entry, entryOf = () => null, follows = () => true, seen = new Set()) {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const { specifier, target } of importsOf(entry).filter(follows)) {
    const next = target ?? entryOf(specifier);
    if (next === null) seen.add(specifier);
    else reachable(next, entryOf, follows, seen);
  }
  return seen;
}
