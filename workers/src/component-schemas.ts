import { getOpenApiMetadata, getRefId } from "@asteasolutions/zod-to-openapi";
import { z } from "@hono/zod-openapi";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Schemas around another one, whose name they seem to have. */
const WRAPPERS: readonly string[] = ["nullable", "optional", "readonly"];

/**
 * JSON Schemas of all named schemas in these, as zod itself writes them: in what zod-to-openapi writes, properties that
 * may be absent (`exactOptional`) are required, and a named schema that may be null never is.
 * @returns by name
 */
export function componentSchemas(roots: readonly z.ZodType[]): Record<string, JsonSchema> {
  const named = new Map<string, z.ZodType>();
  for (const root of roots) jsonSchema(root, named);
  const schemas: Record<string, JsonSchema> = {};
  for (const [name, schema] of named) schemas[name] = jsonSchema(schema, named); // finds more of them as it goes
  return schemas;
}

/** @param named - is given the named schemas in it, which are referred to */
function jsonSchema(root: z.ZodType, named: Map<string, z.ZodType>): JsonSchema {
  const schema: JsonSchema = z.toJSONSchema(root, {
    io: "input", // the same of answers, which may gain properties
    unrepresentable: "any", // what a refinement says is in a description
    override: ({ zodSchema, jsonSchema: written, path }) => {
      const own = zodSchema as unknown as z.ZodType;
      const name = WRAPPERS.includes(own.def.type) ? undefined : getRefId(own);
      if (name !== undefined) named.set(name, own);
      if (name !== undefined && path.length > 0) {
        for (const key of Object.keys(written)) Reflect.deleteProperty(written, key);
        written.$ref = `#/components/schemas/${name}`;
        return;
      }
      Object.assign(written, getOpenApiMetadata(own));
      delete written.readOnly; // of TypeScript, not of the interface
      delete written.propertyNames; // names are text
      if (written.minimum === Number.MIN_SAFE_INTEGER) delete written.minimum;
      if (written.maximum === Number.MAX_SAFE_INTEGER) delete written.maximum;
    },
  });
  delete schema.$schema;
  return schema;
}
