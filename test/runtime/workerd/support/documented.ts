import { Validator, type Schema } from "@cfworker/json-schema";
import { env } from "cloudflare:workers";
import { createApp } from "../../../../workers/src/app.ts";

interface Answer {
  readonly headers?: Record<string, object>;
  readonly content?: Record<string, { readonly schema?: Schema }>;
}
interface Document {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, Answer> }>>;
  readonly components: object;
}

let served: Promise<Document> | undefined;
const validators = new Map<object, Validator>();

/**
 * Throws where an answer isn't one that /openapi.json has: its status, its media type, and JSON by its schema. Answers at
 * paths and by methods that the document doesn't have are none of its business.
 */
export async function expectDocumented(request: Request, response: Response): Promise<void> {
  served ??= Promise.resolve(createApp().request("/openapi.json", {}, { BUNDLES: env.BUNDLES })).then((own) =>
    own.json(),
  );
  const { paths, components } = await served;
  const path = new URL(request.url).pathname;
  const described = Object.entries(paths).find(([template]) => pattern(template).test(path));
  const method = request.method === "HEAD" ? "get" : request.method.toLowerCase();
  const operation = described?.[1][method];
  if (operation === undefined) return;
  const what = `${request.method} ${path}: ${response.status}`;
  const answer = operation.responses[response.status];
  if (answer === undefined) throw new Error(`${what} isn't in /openapi.json`);
  const type = response.headers.get("content-type")?.split(";")[0];
  if (request.method === "HEAD" || response.body === null) return;
  if (type === undefined || answer.content?.[type] === undefined)
    throw new Error(`${what}: the media type ${type} isn't in /openapi.json`);
  if (response.status === 206 || (type !== "application/json" && type !== "application/problem+json")) return;
  const { schema } = answer.content[type];
  if (schema === undefined) return;
  let validator = validators.get(schema);
  if (validator === undefined)
    validators.set(schema, (validator = new Validator({ ...schema, components }, "2020-12", false)));
  const { valid, errors } = validator.validate(await response.clone().json());
  if (!valid)
    throw new Error(
      `${what} contradicts /openapi.json: ${errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`).join("; ")}`,
    );
}

/** Of the paths of a template: a name in braces is a segment. */
function pattern(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}
