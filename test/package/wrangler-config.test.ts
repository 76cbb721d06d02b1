import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as wrangler from "wrangler";
import { RATE_PERIOD } from "../../workers/src/auth/rate-limit.ts";
import { ROOT } from "../support/source-imports.js";

const config = join(ROOT, "wrangler.toml");

/** What of wrangler's own type is looked at: that one needs types of other packages. */
interface Config {
  readonly name: string;
  readonly vars: Record<string, unknown>;
  readonly r2_buckets: { binding: string; bucket_name: string }[];
  readonly ratelimits: { name: string; namespace_id: string; simple: { period: number } }[];
  readonly queues: { producers?: { binding: string; queue: string }[]; consumers?: { queue: string }[] };
  readonly assets?: { directory?: string; binding?: string; run_worker_first?: string[] | boolean };
  readonly observability?: { enabled?: boolean };
}
const { unstable_readConfig: readConfig } = wrangler as unknown as {
  unstable_readConfig: (options: { config: string; env?: string }) => Config;
};
const [development, production] = [readConfig({ config }), readConfig({ config, env: "production" })];

/** Names under which the Worker finds what it is bound to. */
const bindings = ({ vars, r2_buckets, ratelimits, queues, assets, observability }: Config): string[] =>
  [
    ...Object.keys(vars),
    ...r2_buckets.map(({ binding }) => binding),
    ...ratelimits.map(({ name }) => name),
    ...(queues.producers ?? []).map(({ binding }) => binding),
    ...(queues.consumers ?? []).map(() => "(consumer)"),
    assets?.directory ?? "(no assets)",
    assets?.binding ?? "(no bundles)",
    JSON.stringify(assets?.run_worker_first),
    observability?.enabled === true ? "(logs)" : "(no logs)",
  ].sort();

test("production has every binding of development: they aren't inherited", () => {
  expect(bindings(development)).toContain("LIMITER");
  expect(bindings(production)).toEqual(bindings(development));
});

test("production shares neither its name, nor its bundles, nor its counters with development", () => {
  const own = ({ name, r2_buckets, ratelimits }: Config): (string | undefined)[] => [
    name,
    ...r2_buckets.map(({ bucket_name }) => bucket_name),
    ...ratelimits.map(({ namespace_id }) => namespace_id),
  ];
  expect(own(production).filter((value) => own(development).includes(value))).toEqual([]);
});

test("the guide makes every bucket and queue before the deployment that takes it", () => {
  const blocks = readFileSync(join(ROOT, "docs/deploy.md"), "utf8").matchAll(/```sh\n(.*?)```/gs);
  const commands = [...blocks].flatMap(([, block]) => block!.split("\n").map((line) => line.replace(/ +#.*/, "")));
  const place = (command: string): number => commands.indexOf(`npx wrangler ${command}`);
  for (const [deploy, { r2_buckets, queues }] of [
    ['deploy --env=""', development],
    ["deploy --env production", production],
  ] as const)
    for (const command of [
      ...r2_buckets.map(({ bucket_name }) => `r2 bucket create ${bucket_name}`),
      ...[...(queues.producers ?? []), ...(queues.consumers ?? [])].map(({ queue }) => `queues create ${queue}`),
    ]) {
      expect(place(command), command).toBeGreaterThan(0);
      expect(place(command), command).toBeLessThan(place(deploy));
    }
});

test("callers are told to wait as long as is counted", () => {
  for (const { ratelimits } of [development, production])
    expect(ratelimits.map(({ simple }) => simple.period)).toEqual([RATE_PERIOD]);
});

test("the test itself can fail: a binding that is missing shows", () => {
  expect(readFileSync(config, "utf8")).toContain("[[env.production.ratelimits]]");
  expect(bindings({ ...production, ratelimits: [] })).not.toEqual(bindings(development));
});
