// Where the library names the program: plain JavaScript, which Node runs without a build.
import ts from "typescript";

/** Sources of the library, which doesn't know the program. */
const LIBRARY = /^(sdk|offline-trainer\/(src|browser))\/|^features\/(?!(.*\/)?(cli|http)[/.-])/;

/**
 * Where a library's source names the program in a string: an option of a command's table, a command of it, or an option
 * whose name is put in (`--${name}`).
 * @param {string} file - from the root
 * @param {string} text
 * @param {{ options: ReadonlySet<string>; commands: ReadonlySet<string> }} program - names
 * @returns {string[]} file:line: the words
 */
export function programWordsIn(file, text, { options, commands }) {
  return libraryStrings(file, text).flatMap(({ line, words, isOpen }) => {
    // Custom properties of CSS, used and set, are no options.
    const plain = words.replace(/var\(--[\w-]*|--[\w-]+: #/g, "");
    const named = [...plain.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].filter(([, name = ""]) => options.has(name));
    const run = [...plain.matchAll(/\banchoreval(?:-trainer)? ([a-z]+)/g)].filter(([, name = ""]) =>
      commands.has(name),
    );
    const put = isOpen && /(?<![\w-])--$/.test(plain) ? ["--${…}"] : [];
    return [...[...named, ...run].map(([match]) => match), ...put].map((match) => `${file}:${line}: ${match}`);
  });
}

/**
 * The strings of a library's source, templates in pieces; of another source none.
 * @param {string} file - from the root
 * @param {string} text
 * @returns {{ line: number; words: string; isOpen: boolean }[]} whether a value follows
 */
export function libraryStrings(file, text) {
  /** @type {{ line: number; words: string; isOpen: boolean }[]} */
  const strings = [];
  if (!LIBRARY.test(file)) return strings;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      strings.push({ line, words: node.text, isOpen: ts.isTemplateHead(node) || ts.isTemplateMiddle(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return strings;
}
