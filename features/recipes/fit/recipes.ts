import type { Weighting } from "anchoreval/internal/core/bundle/names";
import type { ItemInfo } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { repositoryOf } from "anchoreval/internal/features/swe-bench/sdk";
import type { Pinned } from "./pinned-board.ts";

/** Anchors a scenario of a public board's forms, and over all scenarios where there are several. */
const SIZES = [10, 20, 30, 50, 100];
const TOTALS = [50, 100, 200];

/** The sizes of a public board's forms, none of them as large as the largest scenario. */
export function formSizes(items: readonly Pick<ItemInfo, "scenario">[]): {
  readonly sizes: readonly number[];
  readonly totals: readonly number[];
} {
  const counts = new Map<string, number>();
  for (const { scenario } of items) counts.set(scenario, (counts.get(scenario) ?? 0) + 1);
  const largest = Math.max(...counts.values());
  return {
    sizes: SIZES.filter((size) => size < largest),
    totals: counts.size > 1 ? TOTALS.filter((total) => total < items.length) : [],
  };
}

/** A bundle that everybody makes from the public data themselves: the same to the byte. */
export interface Recipe {
  /** Of the bundle, called like the recipe. */
  readonly version: string;
  readonly description: string;
  /** Address that git clones. */
  readonly repository: string;
  readonly commit: string;
  /** Day of the commit, which is the bundle's. */
  readonly date: string;
  /** The file or folder that is read, from the clone's. */
  readonly path: string;
  /** Of the data, and what it means for the bundle. */
  readonly licence: string;
  /** How the data are read: a harness or a kind of table, and options of the import. */
  readonly reader: { readonly from: string } & Readonly<Record<string, string | readonly string[]>>;
  /** The harness that asks the items. */
  readonly harness: string;
  /** An item as that harness names it. @default as the reader does */
  readonly item?: (item: ItemInfo) => ItemInfo;
  /** How the answers came about, where the reader doesn't say it. */
  readonly protocol?: Readonly<Record<string, string>>;
  /** @default the reader's */
  readonly weighting?: Weighting;
  /** Digests computed from the very data; of what hasn't any, the commit alone is known. */
  readonly pinned: Pinned;
}

/** Whether a recipe's data are known by themselves. */
export function pinsAll({ pinned: { models, items, scores } }: Recipe): boolean {
  return models !== undefined && items !== undefined && scores !== undefined;
}

const UNLICENSED = "none stated: for your own use, not to be passed on";

/** The item of a task by its document's id. */
function documentOf(task: string, { doc_id, item_id }: ItemInfo): ItemInfo & { readonly doc_id: string } {
  const document = String(doc_id ?? item_id);
  return { item_id: `${task}/${document}`, scenario: task, task, doc_id: document };
}

/** A table of SWE-bench's submissions. @param split - of SWE-bench, as the harness calls it */
function noisesTable(name: string, split: string): Omit<Recipe, "description" | "pinned"> {
  return {
    version: "1.0.0",
    repository: "https://github.com/all-the-noises/all-the-noises.github.io",
    commit: "929a82c51850af814dabdc333a643c4bc1b4267c",
    date: "2025-12-10",
    path: `main/assets/tables/input_table_${name}.csv`,
    licence: UNLICENSED,
    reader: { from: "table", columns: ["model=model,item=example_id,score=pass1,scenario=benchmark_id"] },
    harness: "swe-bench",
    item: (item) => ({ ...documentOf("swe-bench", item), subscenario: repositoryOf(item.item_id) }),
    protocol: { harness: "swe-bench", taskVersion: split, metric: "resolved", filter: "none" },
    weighting: "items",
  };
}

/** By name. A digest was computed from a copy of the very file: written in its layout, that has the file's length to the byte. */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  "terminal-bench-1": {
    version: "1.0.0",
    description: "Terminal-Bench 1 (terminal-bench-core 0.1.1): 80 tasks, five trials of each by 25 agents",
    repository: "https://github.com/vionax/eval-arena-data",
    commit: "99a3faf9de67d962c4e4897cd05657a5a1097b7d",
    date: "2026-01-31",
    path: "terminal-bench-1.0.jsonl",
    licence: UNLICENSED,
    reader: { from: "eval-arena" },
    harness: "terminal-bench",
    item: (item) => documentOf("terminal-bench", item),
    protocol: {
      harness: "terminal-bench",
      taskVersion: "terminal-bench-core 0.1.1",
      metric: "resolved",
      filter: "none",
    },
    weighting: "items",
    pinned: {
      models: "c6e07dd7ee98c561fb9af013cc7bd7bcddd2a2b2fa327367a53ab39f2283c799",
      items: "469466ca57cc023d5544ba758a85d851beb456aa711c437056efa3896bce834a",
      scores: "e22bed54e1b52bef19d2695bb3009b333274330413eaee862642ea516532afc0",
      rows: [
        "e852759f:a352ee4c 8228fe44:2741e393 e35024cb:63e05669 d2067572:5564604f 9d8a77ab:3a88fb1e 333fdf81:f52ce83b",
        "b8d0e366:ba1ea7ae 943f6c34:0f695da4 827d65f8:1b48eb73 038ed28a:8178825d 3c5bd869:d7cb7bf9 6f6f08fe:30df6911",
        "b26fb629:4c17ab92 3da89aba:f351186e e9e6fd98:78f48063 b200b8c9:3dc45f66 d302ba32:076e2cd0 597a1523:c335695c",
        "03d19f7b:4e002447 8398a72c:ed788858 a3bd7799:3740d903 c01d924a:b478e1a2 2400f687:6c4773fc bafd7b36:99e3c301",
        "d614266d:be233adb",
      ].join(" "),
    },
  },
  "swe-bench-lite": {
    ...noisesTable("swebench-lite", "lite"),
    description: "SWE-bench Lite: 300 instances of 12 repositories, 84 submissions",
    pinned: {
      models: "f4d84e2c0827150745435a32bf46e8a99bd3239dfbbab2be5115b0a1c44fb1dd",
      items: "b47d955069023116ae01ca6b7248feec2fed70e64e3fe606c873d6922b9e9849",
      scores: "96d64cf65ab6195f5c28c323492fbe050e258bdf12f095e6e68cdde2e7c6bb24",
      rows: [
        "6bec8e13:de659a8d d26c28b2:7ca03bf7 b1338689:df99906b 6f8664ad:c2f35e09 55fe9ce1:0fe6689b 2b9cd3ac:55a76ee4",
        "8b15ca03:76d76125 0cc69532:948daaf3 b98831ce:f61841d1 f57126c0:5e262f77 60a1df49:4e377ea1 3f6e2138:3243a766",
        "1f07493f:c909f5ce e1801d15:42a583d7 de827aa6:651a9617 1ff745a4:5031637e da10c3dd:34b9a31f 4b39138f:f8b57005",
        "8cb4444d:5ea2c596 331d9977:b47d23d8 7e80c131:19ae8deb 7a5bf418:18ad3a52 5ba9db5b:621367bf c131ce5e:813ae1f3",
        "59126604:39b100bf 2b6e268c:1569538c 9c38ff95:e1e6fce5 4c0de8c1:60a99c63 144a5e80:2968f5aa 220cd577:468c6910",
        "06d02062:fd8c88be 87206d25:2d373c6a fd68eda6:968d0a6c d329fe0e:e5f7da10 43d14b31:990d33fb c964993a:3708dfe9",
        "7a87e53c:f37d8530 e0f7c286:c2b628e1 8d2554c8:59d21553 f0cdde84:c3171ef6 4f6d17cd:7e965006 d17693a5:d2e58046",
        "44c386bf:9e748dbb 330debf7:c23ea814 7dcdb0ae:faabd877 146076f5:dd7ceb57 6837245e:e4d0652e cb0bb6c7:d4563b2c",
        "54105a83:bc754064 8bcfb957:38812c46 23713cbd:3fa9b5d9 fa6dfd55:90397616 5ac7a48f:df7958ce 25f49ec9:0d412bfb",
        "1624dfce:6382619d 0b48b6f4:092dc2d6 e74b024a:5a53b2cf ad8f74fc:be3a60e4 b022d3a7:c838725d 960a8488:3e2aa7ad",
        "77ec3bd3:98a5a50b b86346b5:8b32f7d8 74ab6a08:04123df2 9f0406ea:6e71f72d d1f1843d:aa00e823 0068493c:a13be6bb",
        "c92fb085:5ed63409 69d49406:a7bb5787 34d4fae6:69629595 6706b927:1d96cbfe cf861ef6:f824d895 6b59b266:fb81ada3",
        "4efa081f:dd544777 d812b99d:ec596a76 650ac308:76c6faf9 37b593d5:d613ff82 cc2655a7:496bdacd c5a0caef:49c9c58a",
        "a192c599:d376c278 20b26397:43c1bd13 e19627ab:123487a1 861c34e8:c6c90263 db450157:f2f34d82 670950bb:5d4d802f",
      ].join(" "),
    },
  },
  "swe-bench-submissions": {
    ...noisesTable("swebench-verified", "verified"),
    description: "SWE-bench Verified: 500 instances of 12 repositories, submissions of agents to its board",
    pinned: {},
  },
  "swe-bench-verified": {
    version: "1.0.0",
    description: "SWE-bench Verified: 500 instances of 12 repositories, models in mini-SWE-agent (the board bash-only)",
    repository: "https://github.com/SWE-bench/swe-bench.github.io",
    commit: "f1176b6",
    date: "2025-12-10",
    path: "data/leaderboards.json",
    licence: "CC-BY-NC-4.0, that of the site: not for commercial use",
    reader: { from: "swe-bench", "task-version": "bash-only" },
    harness: "swe-bench",
    pinned: { items: "6fdb133440fd76f48d3e997d4111c9c0ab65ab0a03ec775166a40d711f1c2d9a" },
  },
  bfcl: {
    version: "1.0.0",
    description: "BFCL v4: single turns, live, multi-turn, memory and web search, a category a scenario",
    repository: "https://github.com/HuanzhiMao/BFCL-Result",
    commit: "6830ed13035c0cfee9aa7a9a0ffed70f10b3dd50",
    date: "2025-12-16",
    path: "2025-12-16",
    licence: UNLICENSED,
    reader: { from: "bfcl" },
    harness: "bfcl",
    pinned: {},
  },
};
