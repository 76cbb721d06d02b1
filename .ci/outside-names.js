// A rule of lint: names that come from outside are no keys of plain objects. `table[name]` finds what every object inherits
// (`constructor`, `__proto__`), and `table["__proto__"] = value` loses the value. lookUp() of core/bundle/names.ts, Map and
// Object.fromEntries() don't.
import ts from "typescript";

const isText = (type) => (type.isUnion() ? type.types : [type]).some(({ flags }) => flags & ts.TypeFlags.String);

export const outsideNames = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      read: "a name from outside may be what every object inherits: lookUp(table, name), or a Map",
      written: "a name from outside may be __proto__, whose value would be lost: a Map, or Object.fromEntries()",
    },
  },
  create: (context) => {
    const textOf = (node) => isText(context.sourceCode.parserServices.getTypeAtLocation(node));
    return {
      MemberExpression: (node) => {
        if (!node.computed || !textOf(node.property)) return;
        const isWritten = node.parent.type === "AssignmentExpression" && node.parent.left === node;
        context.report({ node, messageId: isWritten ? "written" : "read" });
      },
      'BinaryExpression[operator="in"]': ({ left, right }) => {
        if (left.type !== "PrivateIdentifier" && textOf(left)) context.report({ node: right, messageId: "read" });
      },
    };
  },
};
