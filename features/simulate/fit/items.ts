import { logit, sigmoid } from "anchoreval/internal/core/numeric/functions";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { parts, type ScenarioPlan } from "./scenarios.ts";
import type { SimulateOptions } from "./settings.ts";

/** Parameters of N items, with K = D−1 skills; the response function is in answers.ts. */
export type ItemParameters = ReturnType<typeof drawItemParameters>;

/**
 * Discrimination of flat scenarios over the usual one: median, and sd of the log, since some of their items do
 * distinguish models. Difficulty is stretched by as much, so that accuracies differ as elsewhere.
 */
const FLAT_SLOPE = 0.15;
const FLAT_SLOPE_SD = 1;
/** Sd of difficulty inside a cluster of near-copies, over the sd between items. */
const CLUSTER_SPREAD = 0.25;

/** Draws the items. Each property has a stream of its own. */
export function drawItemParameters(scenarios: readonly ScenarioPlan[], options: SimulateOptions, random: RandomSource) {
  const count = options.items;
  const kind = drawItemKinds(options, random.fork("kinds"));
  const cluster = drawClusters(kind, scenarios, options.clusterSize, random.fork("clusters"));
  // The first draw of each parameter, on its scale below.
  const items = {
    /** Position of the item's scenario. */
    scenario: new Uint32Array(count),
    /** Codes of ITEM_KINDS. */
    kind,
    /** Cluster of redundant items, from 1; 0 = none. */
    cluster,
    /** a > 0. */
    discrimination: normals(count, random.fork("discrimination")),
    /** b, logits of ability. */
    difficulty: clusteredNormals(cluster, random.fork("difficulty")),
    /** Loadings on the skills, N × K, of equal length. */
    loadings: new Float64Array(count * (options.dims - 1)),
    /** c; 0 where answers are open. */
    lower: normals(count, random.fork("lower")),
    /** d. */
    upper: uniforms(count, random.fork("upper")),
    /** Extra difficulty of the item for the second class, logits of ability. */
    classShift: normals(count, random.fork("class-shift")),
    /** Logits that the item gets harder by for each logit of general ability above 0. */
    drift: normals(count, random.fork("drift")).map((value) => options.driftSd * value),
    /** When it came, as a share of the years in [0,1). */
    time: uniforms(count, random.fork("time")),
    /** A uniform number in [0,1); its use depends on the kind. */
    trait: uniforms(count, random.fork("trait")),
    /** The right option's number, from 0; 0 where answers are open. */
    key: new Uint32Array(count),
  };
  const flatness = normals(count, random.fork("flatness"));
  const keys = uniforms(count, random.fork("key"));
  for (const { scenario, begin, end, centre } of parts(scenarios)) {
    const { kind: scenarioKind, choices } = scenarios[scenario]!;
    for (let i = begin; i < end; i++) {
      const slope = scenarioKind === "flat" ? Math.min(1, FLAT_SLOPE * Math.exp(FLAT_SLOPE_SD * flatness[i]!)) : 1;
      items.scenario[i] = scenario;
      items.discrimination[i] =
        slope * options.discrimination * Math.exp(options.discriminationSd * items.discrimination[i]!);
      items.difficulty[i] = (centre + options.difficultySd * items.difficulty[i]!) / slope;
      items.lower[i] = choices > 0 ? sigmoid(logit(1 / choices) + options.floorSd * items.lower[i]!) : 0;
      // Exponential slips, kept above the floor.
      items.upper[i] = Math.max((1 + items.lower[i]!) / 2, 1 + options.slip * Math.log(1 - items.upper[i]!));
      items.classShift[i] = (options.mixtureSd * items.classShift[i]!) / slope;
      items.key[i] = Math.floor(keys[i]! * choices);
    }
  }
  drawLoadings(items.loadings, scenarios, options, random.fork("loadings"));
  return items;
}

/** Loadings: |normal| times the subscenario's weights, scaled to the length `skillSd`. */
function drawLoadings(
  loadings: Float64Array,
  scenarios: readonly ScenarioPlan[],
  { dims, skillSd }: SimulateOptions,
  random: RandomSource,
): void {
  const width = dims - 1;
  for (let k = 0; k < width; k++) {
    const stream = random.fork(String(k));
    for (const { begin, end, skillWeights } of parts(scenarios))
      for (let i = begin; i < end; i++) loadings[i * width + k] = skillWeights[k]! * Math.abs(stream.normal());
  }
  for (let begin = 0; begin < loadings.length; begin += width) {
    const row = loadings.subarray(begin, begin + width);
    const length = Math.hypot(...row);
    if (length > 0) for (let k = 0; k < width; k++) row[k]! *= skillSd / length;
  }
}

/** Standard normals; members of a cluster lie near each other, with the same variance as all. */
function clusteredNormals(cluster: Uint32Array, random: RandomSource): Float64Array {
  const values = normals(cluster.length, random.fork("own"));
  const shared = random.fork("shared");
  let last = 0;
  let centre = 0;
  for (let i = 0; i < values.length; i++) {
    if (cluster[i] === 0) continue;
    if (cluster[i] !== last) {
      last = cluster[i]!;
      centre = shared.normal();
    }
    values[i] = Math.sqrt(1 - CLUSTER_SPREAD ** 2) * centre + CLUSTER_SPREAD * values[i]!;
  }
  return values;
}

function normals(count: number, random: RandomSource): Float64Array {
  return Float64Array.from({ length: count }, () => random.normal());
}

function uniforms(count: number, random: RandomSource): Float64Array {
  return Float64Array.from({ length: count }, () => random.next());
}

/** Kinds of items; the code in the truth is the position here. */
export const ITEM_KINDS = ["regular", "redundant", "mislabelled", "non-monotone", "memorised"] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** Code of a kind. */
export function kindCode(kind: ItemKind): number {
  return ITEM_KINDS.indexOf(kind);
}

/** The kind of every item: one uniform number an item, cut by the shares; what is beyond them is regular, 0. */
export function drawItemKinds(options: SimulateOptions, random: RandomSource): Uint32Array {
  const { redundantShare, mislabelledShare, nonMonotoneShare, memorisedShare } = options;
  let edge = 0;
  const edges = [redundantShare, mislabelledShare, nonMonotoneShare, memorisedShare].map((share) => (edge += share));
  return Uint32Array.from({ length: options.items }, () => {
    const u = random.next();
    return edges.findIndex((end) => u < end) + 1;
  });
}

/**
 * Puts the redundant items of each subscenario in clusters, in their order; sizes are uniform from 2 to the largest.
 * A single left-over joins the cluster before it.
 * @returns the cluster of every item, numbered from 1; 0 = none
 */
export function drawClusters(
  kinds: Uint32Array,
  scenarios: readonly ScenarioPlan[],
  clusterSize: number,
  random: RandomSource,
): Uint32Array {
  const clusters = new Uint32Array(kinds.length);
  const redundant = kindCode("redundant");
  let cluster = 0;
  for (const { begin, end } of parts(scenarios)) {
    const columns = Array.from({ length: end - begin }, (_, k) => begin + k);
    const members = columns.filter((i) => kinds[i] === redundant);
    for (let at = 0; at < members.length;) {
      const size = 2 + random.below(clusterSize - 1);
      if (at === 0 || members.length - at > 1) cluster++;
      for (const item of members.slice(at, at + size)) clusters[item] = cluster;
      at += size;
    }
  }
  return clusters;
}

const PEOPLE = ["Ada", "Bela", "Chidi", "Dalia", "Emil", "Farah", "Goran", "Hana", "Ines", "Jamal", "Kaito", "Lena"];
/** Things by theme: an item's theme follows its strongest skill. */
const THEMES = [
  ["pears", "loaves", "jars of honey", "eggs"],
  ["stamps", "letters", "parcels", "postcards"],
  ["screws", "planks", "nails", "hinges"],
  ["tickets", "seats", "programmes", "coats"],
  ["beakers", "samples", "filters", "crystals"],
  ["horses", "saddles", "bales of hay", "buckets"],
] as const;
/** Most steps of a question; harder items have more. */
const MOST_STEPS = 7;

/**
 * Writes a question for every item: a short story of additions and subtractions, longer for harder items, about the things
 * of the item's theme. Near-copies tell the same story with other numbers. All differ, since each has its number.
 */
export function writeTexts(
  items: ItemParameters,
  scenarios: readonly ScenarioPlan[],
  skills: number,
  random: RandomSource,
): string[] {
  return Array.from(items.scenario, (s, i) => {
    const cluster = items.cluster[i]!;
    const story = cluster === 0 ? random.fork("item").fork(String(i)) : random.fork("cluster").fork(String(cluster));
    const numbers = random.fork("numbers").fork(String(i));
    const { choices } = scenarios[s]!;
    const loadings = items.loadings.subarray(i * skills, (i + 1) * skills);
    const theme = skills === 0 ? s : loadings.indexOf(Math.max(...loadings));
    const things = THEMES[theme % THEMES.length]!;
    const person = pick(PEOPLE, story);
    const thing = pick(things, story);
    const steps = Math.max(1, Math.min(MOST_STEPS, Math.round(3 + items.difficulty[i]!)));
    let total = 20 + numbers.below(80);
    let text = `Question ${i + 1}. ${person} has ${total} ${thing}.`;
    for (let step = 0; step < steps; step++) {
      const amount = 2 + numbers.below(17);
      const more = story.next() < 0.5 || total < amount;
      total += more ? amount : -amount;
      text += ` ${pick(PEOPLE, story)} ${more ? `brings ${amount} more` : `takes ${amount} away`}.`;
    }
    text += " How many are there now?";
    for (let option = 0; option < choices; option++)
      text += ` ${String.fromCharCode(65 + option)}) ${total + 3 * (option - items.key[i]!)}`;
    return text;
  });
}

function pick<T>(values: readonly T[], random: RandomSource): T {
  return values[random.below(values.length)]!;
}
