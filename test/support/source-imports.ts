import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The repository's root. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** One import of a source file. */
export interface SourceImport {
  /** The file that imports, from the root, with slashes. */
  readonly from: string;
  /** As it is written. */
  readonly specifier: string;
  /** The imported file, from the root; null for a package. */
  readonly target: string | null;
  /** Loaded where the code gets there, by `import()`. */
  readonly dynamic: boolean;
}

/** TypeScript and JavaScript sources under a folder of the repository, without builds and dependencies. */
export function sourceFiles(folder: string): string[] {
  const found: string[] = [];
  const walk = (path: string): void => {
    for (const entry of readdirSync(join(ROOT, path), { withFileTypes: true })) {
      if (["node_modules", "dist", ".wrangler", "assets"].includes(entry.name)) continue;
      const child = `${path}/${entry.name}`;
      if (entry.isDirectory()) walk(child);
      else if (/\.(ts|js)$/.test(entry.name)) found.push(child);
    }
  };
  walk(folder);
  return found.sort();
}

/** Every module that a source file names: imports, re-exports, dynamic imports and types of them, by the compiler's own parser. */
export function importsOf(file: string, text = readFileSync(join(ROOT, file), "utf8")): SourceImport[] {
  const found: Pick<SourceImport, "specifier" | "dynamic">[] = [];
  const add = (node: ts.Node | undefined, dynamic = false): void => {
    if (node && ts.isStringLiteralLike(node)) found.push({ specifier: node.text, dynamic });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      if (argument && ts.isStringLiteralLike(argument)) add(argument, true);
      else found.push({ specifier: "(computed)", dynamic: true });
    } else if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "require")
      add(node.arguments[0]);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found.map(({ specifier, dynamic }) => ({
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
 * @param entryOf - the built file behind a package's name, to be followed; null for a name that is listed as it is
 * @param follows - whether an import is loaded
 */
export function reachable(
  entry: string,
  entryOf: (specifier: string) => string | null = () => null,
  follows: (own: SourceImport) => boolean = () => true,
  seen = new Set<string>(),
): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const { specifier, target } of importsOf(entry).filter(follows)) {
    const next = target ?? entryOf(specifier);
    if (next === null) seen.add(specifier);
    else reachable(next, entryOf, follows, seen);
  }
  return seen;
}
