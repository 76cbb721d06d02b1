// The results of the package for Python, src/anchoreval/_results.py: a frozen dataclass for every object in what the bridge
// (cli/src/bridge.ts) answers with, from the SDK's declarations and their docstrings. `npm run build` runs this.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The answers of the bridge, by the file that declares them. */
const ANSWERS = {
  "sdk/dist/features/sdk-estimate": ["AnyEstimate"],
  "sdk/dist/features/compare/sdk/types": ["Comparison", "Ranking"],
  "sdk/dist/features/compare/sdk/check-types": ["CheckResult"],
  "sdk/dist/features/sdk-plan": ["ServedPlan", "OtherPlan"],
  "sdk/dist/features/judge/sdk/estimate-from-judge": ["JudgedEstimate"],
};
/** Parts of what Python puts together itself. */
const PARTS = {
  "cli/dist/cli/src/bundles/list-bundles": ["ListedBundle"],
  "sdk/dist/features/adaptive/sdk/types": ["AdaptiveModel", "AdaptiveItem", "AdaptiveStop"],
  "offline-trainer/dist/features/backtest/fit/backtest": ["RecipeRow"],
};
/** Docstrings name `estimateTrials` or `planFromBundle`: Python has one function for all that begin alike. */
const FUNCTIONS = ["estimate", "compare", "rank", "check", "plan"];
const KEYWORDS = ["lambda", "from", "in", "is", "not", "class", "global", "pass"];
const WIDTH = 120;

const files = Object.keys({ ...ANSWERS, ...PARTS }).map((name) => `${root}${name}.d.ts`);
const program = ts.createProgram(files, {
  module: ts.ModuleKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  types: [],
  lib: ["lib.es2023.d.ts"],
});
const checker = program.getTypeChecker();

/** By name, each after those that it needs. */
const classes = new Map();
for (const type of typesOf(ANSWERS)) addAnswer(type);
for (const type of typesOf(PARTS)) addClass(type.symbol.name, type, docOf(type.symbol));
writeFileSync(fileURLToPath(new URL("src/anchoreval/_results.py", import.meta.url)), moduleOf([...classes.values()]));

function typesOf(named) {
  return Object.entries(named).flatMap(([file, names]) => {
    const declared = checker.getExportsOfModule(
      checker.getSymbolAtLocation(program.getSourceFile(`${root}${file}.d.ts`)),
    );
    return names.map((name) => checker.getDeclaredTypeOfSymbol(declared.find((symbol) => symbol.name === name)));
  });
}

/**
 * An interface, or several. Further figures beside one (`Estimate & Partial<…>`) are fields of its class, and so are those of an
 * interface that extends another one of them: Python has one class for both.
 */
function addAnswer(type) {
  const kinds = (type.isUnion() ? type.types : [type]).map((kind) => ({
    fields: fieldsOf(kind),
    named: (kind.isIntersection() ? kind.types : [kind]).find((part) => part.isClassOrInterface()),
  }));
  const baseOf = ({ named }) => kinds.find((kind) => checker.getBaseTypes(named).includes(kind.named));
  for (const kind of kinds.filter((each) => baseOf(each) === undefined)) {
    const { named, fields } = kind;
    const further = kinds.flatMap((each) => (baseOf(each) === kind ? each.fields : []));
    const others = further.filter(({ name }) => !fields.some((field) => field.name === name));
    if (classes.has(named.symbol.name))
      throw new Error(`an answer before ${named.symbol.name} holds it: list it first`);
    const all = [...fields, ...others.map((field) => ({ ...field, optional: true }))];
    addClass(named.symbol.name, named, docOf(named.symbol), all);
    classes.get(named.symbol.name).isResult = true;
  }
}

function addClass(name, type, doc, fields = fieldsOf(type)) {
  const before = classes.get(name);
  if (before && before.type !== type)
    throw new Error(`two types would be ${name} in Python: give one a name of its own`);
  if (before) return name;
  if (doc === "") throw new Error(`${name} has no docstring in the SDK`);
  classes.set(name, { name, type, doc }); // for those that hold one of their kind
  const read = fields.map((field) => ({ ...field, python: pythonType(field.type, field) }));
  classes.delete(name);
  classes.set(name, { name, type, doc, fields: read });
  return name;
}

function fieldsOf(type) {
  return propertiesOf(type).map((symbol) => {
    const node = symbol.declarations[0].type;
    const tag = symbol.getJsDocTags(checker).find(({ name }) => name === "default");
    return {
      name: symbol.name,
      type: checker.getTypeOfSymbol(symbol),
      optional: (symbol.flags & ts.SymbolFlags.Optional) !== 0,
      isWhole: /\bInteger\b/.test(node.getText()),
      doc: docOf(symbol) || docOfType(node),
      absent: ts.displayPartsToString(tag?.text) === "[]" ? "()" : undefined,
    };
  });
}

/** In the order of their declarations, inherited ones first. */
function propertiesOf(type) {
  const parts = type.isClassOrInterface() ? checker.getBaseTypes(type) : type.isIntersection() ? type.types : [];
  const inherited = [...new Set(parts.flatMap((part) => propertiesOf(part).map(({ name }) => name)))];
  const properties = checker.getPropertiesOfType(type);
  const declared = properties.filter(({ name }) => !inherited.includes(name));
  declared.sort((one, other) => one.declarations[0].pos - other.declarations[0].pos);
  return [...inherited.map((name) => properties.find((property) => property.name === name)), ...declared];
}

/** @param field - that has the type, or holds it */
function pythonType(type, field) {
  const { flags } = type;
  if (type.isUnion() && !(flags & ts.TypeFlags.Boolean)) return unionType(type, field);
  if (type.isStringLiteral()) return `Literal[${JSON.stringify(type.value)}]`;
  if (flags & ts.TypeFlags.String) return "str";
  if (flags & ts.TypeFlags.Number) return field.isWhole ? "int" : "float";
  if (flags & ts.TypeFlags.BooleanLike) return "bool";
  if (flags & ts.TypeFlags.Null) return "None";
  if (checker.isArrayType(type)) return `tuple[${pythonType(checker.getTypeArguments(type)[0], field)}, ...]`;
  const values = checker.getIndexTypeOfType(type, ts.IndexKind.String);
  if (values) return `Mapping[str, ${pythonType(values, field)}]`;
  const properties = checker.getPropertiesOfType(type);
  if (properties.length === 0 || checker.getSignaturesOfType(type, ts.SignatureKind.Call).length > 0)
    throw new Error(`${field.name} is ${checker.typeToString(type)}, which JSON can't be`);
  if (properties.some(({ name }) => !/^\w+$/.test(name))) {
    const keys = properties.map(({ name }) => JSON.stringify(name)).join(", ");
    return `Mapping[Literal[${keys}], ${pythonType(checker.getTypeOfSymbol(properties[0]), field)}]`;
  }
  const symbol = [type.aliasSymbol, type.symbol].find((one) => one && isOurs(one) && !one.name.startsWith("__"));
  return symbol ? addClass(symbol.name, type, docOf(symbol)) : addClass(capitalised(field.name), type, field.doc);
}

function unionType(type, field) {
  const parts = type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
  const words = parts.filter((part) => part.isStringLiteral()).map(({ value }) => JSON.stringify(value));
  const others = parts.filter((part) => !part.isStringLiteral() && !(part.flags & ts.TypeFlags.Null));
  const nameless = others.filter((part) => part.symbol?.name === "__type" && !part.aliasSymbol);
  const python = others.map((part) => {
    if (nameless.length < 2 || !nameless.includes(part)) return pythonType(part, field);
    const keys = fieldsOf(part).map(({ name }) => capitalised(name));
    return pythonType(part, { ...field, name: `${field.name}${keys.join("")}` });
  });
  if (words.length > 0) python.unshift(`Literal[${words.join(", ")}]`);
  if (parts.some(({ flags }) => flags & ts.TypeFlags.Null)) python.push("None");
  return [...new Set(python)].join(" | ");
}

function isOurs(symbol) {
  return symbol.declarations.some((node) => !program.isSourceFileDefaultLibrary(node.getSourceFile()));
}

function docOf(symbol) {
  return pythonWords(ts.displayPartsToString(symbol.getDocumentationComment(checker)));
}

/** The docstring of the first of our types that a field's type names. */
function docOfType(node) {
  const name = ts.isTypeReferenceNode(node) ? node.typeName : ts.isImportTypeNode(node) ? node.qualifier : undefined;
  if (name) {
    const symbol = checker.getSymbolAtLocation(name);
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (target.name !== "Integer" && isOurs(target)) return docOf(target);
  }
  return ts.forEachChild(node, docOfType) ?? "";
}

/** @example pythonWords("`halfWidth` of `estimateTrials`, null without") // "`half_width` of `estimate`, None without" */
function pythonWords(text) {
  return text
    .replace(/^\{@link \w+\}[:,] (\w)/, (_, letter) => letter.toUpperCase())
    .replace(/\{@link ([\w.]+)\}/g, "`$1`")
    .replace(/\b[Nn]ull\b/g, "None")
    .replace(/`([a-z]+)([A-Z]\w*)`/g, (_, first, rest) =>
      FUNCTIONS.includes(first) ? `\`${first}\`` : `\`${snakeCase(first + rest)}\``,
    )
    .replace(/\s+/g, " ")
    .replace(/\\/g, "\\\\");
}

function snakeCase(name) {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return KEYWORDS.includes(snake) ? `${snake}_` : snake;
}

function capitalised(name) {
  return name[0].toUpperCase() + name.slice(1);
}

function moduleOf(all) {
  const names = all.map(({ name }) => name).sort();
  return `"""Made by python/results.js: frozen dataclasses with the fields of the SDK's types. Scores are fractions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ._result import Part, Result

__all__ = [
${names.map((name) => `    "${name}",\n`).join("")}]
${all.map(classText).join("")}`;
}

/**
 * An interface that it extends is its base where that is a class itself, else its fields are its own. An answer shows itself
 * as a `Result` does, what is inside of one as a `Part`.
 */
function classText({ name, type, doc, fields, isResult }) {
  const bases = type.isClassOrInterface() ? checker.getBaseTypes(type) : [];
  const base = bases.map(({ symbol }) => classes.get(symbol?.name)).find((one) => one && bases.includes(one.type));
  const parents = [...(isResult ? ["Result"] : base ? [] : ["Part"]), ...(base ? [base.name] : [])];
  const inherited = new Map(base?.fields.map((field) => [field.name, field.python]));
  const declared = fields.filter((field) => inherited.get(field.name) !== field.python);
  const ordered = [false, true].flatMap((optional) => declared.filter((field) => field.optional === optional));
  const documented = fields.filter((field) => field.doc !== "");
  const notes = documented.map((field) => wrapped(`${snakeCase(field.name)}: ${field.doc}`, 8, 12));
  const attributes = notes.length > 0 ? `\n\n    Attributes:\n${notes.join("\n")}\n    ` : "";
  return `

@dataclass(frozen=True, repr=False)
class ${name}(${parents.join(", ")}):
${wrapped(`"""${doc}`, 4, 4)}${attributes}"""

${ordered.map(fieldText).join("")}`;
}

function fieldText({ name, python, optional, doc, absent }) {
  const isFlag = python === "bool";
  const value = !optional ? "" : ` = ${absent ?? (isFlag ? "False" : "None")}`;
  const type = optional && !isFlag && !absent && !python.endsWith("| None") ? `${python} | None` : python;
  const line = `    ${snakeCase(name)}: ${type}${value}`;
  const broken = line.replace(
    /Literal\[(.*?)\]/,
    (_, words) => `Literal[\n        ${words.replaceAll(", ", ",\n        ")},\n    ]`,
  );
  const lines = [line.length > WIDTH ? broken : line, ...(doc === "" ? [] : [wrapped(`"""${doc}"""`, 4, 4)])];
  return `${lines.join("\n")}\n`;
}

/** Text in lines of at most {@link WIDTH}. */
function wrapped(text, indent, further) {
  const lines = [];
  let line = " ".repeat(indent - 1);
  for (const word of text.split(" ")) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = " ".repeat(further - 1);
    }
    line += ` ${word}`;
  }
  return [...lines, line].join("\n");
}
