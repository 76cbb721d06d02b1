import { z } from "@hono/zod-openapi";
import type { Manifest } from "anchoreval/bundle";
import * as schemas from "anchoreval/internal/core/bundle/manifest";
import { BUNDLE_FILES } from "anchoreval/internal/core/bundle/names";
import { wholeManifest } from "anchoreval/internal/core/bundle/decode-manifest";
import type { Fields, Schema } from "anchoreval/internal/core/bundle/schema";
import { BASE_ESTIMATORS } from "anchoreval/internal/core/estimators/types";
import { PARTS } from "anchoreval/internal/features/core";

const manifest: Schema = wholeManifest(PARTS);

/** Schemas that are components of the OpenAPI document, by the names that they have there. */
const COMPONENTS = new Map<Schema, string>([
  [manifest, "Manifest"],
  [schemas.splitErrors, "SplitErrors"],
  [schemas.measuredErrors, "MeasuredErrors"],
  [schemas.patternThresholds, "PatternThresholds"],
  [schemas.scoreMap, "ScoreMap"],
  ...PARTS.flatMap(({ schema, title }) => (title === undefined ? [] : [[schema, title] as const])),
]);

/** Fields that the document describes in its own way. */
const DESCRIBED = new Map<Schema, z.ZodType>([
  [schemas.stack, z.record(z.enum(BASE_ESTIMATORS), z.number())],
  [schemas.file.of.name, z.string().openapi({ description: `One of ${BUNDLE_FILES.join(", ")}.` })],
]);

const converted = new Map<Schema, z.ZodType>(DESCRIBED);

/** The shape of a schema's values; formats and ranges are checked by `parseManifest`, not here. */
function zodType(schema: Schema): z.ZodType {
  let type = converted.get(schema);
  if (type === undefined) {
    const name = COMPONENTS.get(schema);
    type = name === undefined ? plainType(schema) : plainType(schema).openapi(name);
    converted.set(schema, type);
  }
  return type;
}

function plainType(schema: Schema): z.ZodType {
  switch (schema.kind) {
    case "text":
      return schema.of.or
        ? z.union([z.string(), ...schema.of.or.map((type) => (type === "number" ? z.number() : z.boolean()))])
        : z.string();
    case "number":
      return schema.of.integer ? z.number().int() : z.number();
    case "flag":
      return z.boolean();
    case "anything":
      return z.unknown();
    case "oneOf":
      return schema.of.length === 1 ? z.string() : z.enum(schema.of);
    case "nullable":
      return zodType(schema.of).nullable();
    case "list":
      return z.array(zodType(schema.of)).readonly();
    case "record":
      return z.record(z.string(), zodType(schema.of));
    case "object":
      return z.object({
        ...fieldTypes(schema.of, (type) => type),
        ...fieldTypes(schema.extra ?? {}, (type) => type.exactOptional()),
      });
  }
}

function fieldTypes<Type extends z.ZodType>(fields: Fields, convert: (type: z.ZodType) => Type): Record<string, Type> {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, convert(zodType(schema))]));
}

/** `Manifest` of anchoreval/bundle. docs/bundle-format.md explains the fields. */
export const ManifestSchema = zodType(manifest) as z.ZodType<Manifest>;
