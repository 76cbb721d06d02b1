import { createRoute, type RouteHandler } from "@hono/zod-openapi";
import {
  beginAdaptive,
  continueAdaptive,
  type AdaptiveAnswers,
  type AdaptiveProgress,
  type NextItemsRequest,
} from "anchoreval";
import { newSession, readSession, sessionDraws, signSession, type SignedSession } from "../adaptive/session-state.ts";
import { sessionKeys } from "../adaptive/session-keys.ts";
import type { AppEnv } from "../env.ts";
import { duplicateKeys } from "../http/duplicate-keys.ts";
import { countAnswers } from "../observe/request-notes.ts";
import { limitBody, refuseDuplicates } from "../http/request-body.ts";
import { HttpProblem } from "../problem.ts";
import { AdaptiveTurnSchema, NextItemsRequestSchema } from "../schemas/next-items.ts";
import { VersionOrLatestParams } from "../schemas/params.ts";
import { json, NEXT_ITEMS_PROBLEMS } from "../schemas/responses.ts";
import { yankedWarning } from "./yanked-warning.ts";

const route = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/next-items",
  operationId: "createNextItems",
  tags: ["adaptive"],
  summary: "The items to ask a model next, drawn by its answers so far, and when it is enough",
  middleware: limitBody,
  request: {
    params: VersionOrLatestParams,
    body: { required: true, content: { "application/json": { schema: NextItemsRequestSchema } } },
  },
  responses: { 200: json(AdaptiveTurnSchema, "The next items, and what is known by now"), ...NEXT_ITEMS_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const request = c.req.valid("json");
  c.var.notes.answers = [request, request.a, request.b].reduce((sum, own) => sum + countAnswers(own?.responses), 0);
  refuseDuplicates(duplicateKeys(await c.req.text()));
  const ref = c.req.valid("param");
  const now = c.var.now();
  const keys = await sessionKeys(c.env);
  const opened = request.state === undefined ? null : await readSession(request.state, keys, now);
  const answers = opened && answersOf(request);
  const options = opened === null ? optionsOf(request) : null;
  const [pool, warned] = await Promise.all([c.var.bundles.itemPool(ref), yankedWarning(c.var.bundles, ref)]);
  c.var.notes.version = pool.version;
  const key = opened?.key ?? keys[0]!;
  const name = opened?.signed ?? newSession(now);
  const draws = await sessionDraws(key, name.id);
  const progress: AdaptiveProgress =
    opened === null
      ? beginAdaptive(pool, options!, draws)
      : continueAdaptive(pool, opened.signed.session, answers!, draws);
  const { session, step } = progress;
  const signed: SignedSession = { v: 1, id: name.id, expires: name.expires, session };
  return c.json(warned({ ...step, state: step.stopped === null ? await signSession(signed, key) : null }), 200);
};

function optionsOf({ begin, responses, a, b }: NextItemsRequest): NonNullable<NextItemsRequest["begin"]> {
  if (begin === undefined || responses !== undefined || a !== undefined || b !== undefined)
    throw new HttpProblem("invalid_request", "send `begin` to begin an evaluation, or `state` with the answers");
  return begin;
}

function answersOf({ begin, responses, a, b }: NextItemsRequest): AdaptiveAnswers {
  if (begin === undefined && responses !== undefined && a === undefined && b === undefined) return { responses };
  if (begin === undefined && responses === undefined && a !== undefined && b !== undefined) return { a, b };
  throw new HttpProblem(
    "invalid_request",
    "send `state` with `responses`, or with `a` and `b` where two models are asked, and nothing else",
  );
}

export const createNextItems = { route, handler };
