import type { Bundle } from "../../sdk/core/bundle/bundle.ts";
import { sha256Text } from "../../sdk/core/bundle/digest.ts";
import { AnchorEvalError, invalidOption } from "../../sdk/core/errors.ts";
import type { Estimate, Interval } from "../../sdk/estimate/types.ts";
import { type Fields, canonicalJson } from "../../sdk/logs/json.ts";

/** Who ran what, as an estimate doesn't tell it. */
export interface EstimatedRun {
  /** `ORG/NAME`, as Hugging Face has it. */
  readonly model: string;
  /** The harness that the answers come from; null for a file of answers. */
  readonly harness: string | null;
  /** Version of anchoreval. */
  readonly program: string;
  /** The organisation that ran it, and what it is to the model's maker. */
  readonly source: string;
  readonly relationship: "first_party" | "third_party" | "collaborative" | "other";
}

/** An estimate, with warnings of whatever kind. */
type WarnedEstimate = Omit<Estimate, "warnings"> & { readonly warnings: readonly { readonly message: string }[] };

/** An aggregate record of Every Eval Ever, and where its datastore keeps it. */
export interface EeeRecord {
  /** Below the datastore's `data`: benchmark, developer, model. */
  readonly folder: readonly [benchmark: string, developer: string, model: string];
  /** The file's name without its ending: a UUID that the record's content decides. */
  readonly uuid: string;
  readonly record: Fields;
}

/** The version of Every Eval Ever's schema that is written. */
const SCHEMA_VERSION = "0.3.0";

/**
 * An estimate as an aggregate record of Every Eval Ever: a result for the whole benchmark and one for each scenario, each
 * with its interval, the number of answers behind it, and how it was made. Scores and bounds are fractions, from 0 to 1.
 * A scenario without a score has no result.
 *
 * Metrics are named `anchoreval.estimate`, so that nobody averages estimates with scores that were measured on all items.
 * @param seconds - since 1970, when the record is made: the one thing that the UUID doesn't depend on
 * @throws AnchorEvalError `invalid_option` for a model's name that the datastore has no folder for; `invalid_answers` where
 * nothing has a score
 */
export function estimateRecord(
  bundle: Bundle,
  estimate: WarnedEstimate,
  run: EstimatedRun,
  seconds: number,
): EeeRecord {
  const [developer, model] = modelFolders(run.model);
  const results = resultsOf(bundle, estimate);
  if (results.length === 0)
    throw new AnchorEvalError(
      "invalid_answers",
      `there is no score to write: ${estimate.reason ?? "no scenario has one"}`,
    );
  const words = estimate.warnings.map(({ message }) => message);
  const made = {
    schema_version: SCHEMA_VERSION,
    source_metadata: {
      source_name: `anchoreval ${run.program}`,
      source_type: "evaluation_run",
      source_organization_name: run.source,
      evaluator_relationship: run.relationship,
    },
    eval_library: {
      name: "anchoreval",
      version: run.program,
      additional_details: {
        ...(run.harness !== null && { answers_from: run.harness }),
        bundle: `${estimate.benchmark} ${estimate.version}`,
        bundle_digest: estimate.digest,
        form: estimate.form,
        ...(words.length > 0 && { warnings: words.join("\n") }),
      },
    },
    model_info: {
      name: run.model,
      id: run.model,
      developer,
      additional_details: { deployment_type: "unknown", model_availability: "unknown" },
    },
    evaluation_results: results,
  };
  const time = String(seconds);
  return {
    folder: [estimate.benchmark, developer, model],
    uuid: contentUuid(canonicalJson(made)),
    record: {
      ...made,
      evaluation_id: `${estimate.benchmark}/${run.model.replaceAll("/", "_")}/${time}`,
      retrieved_timestamp: time,
    },
  };
}

/** Of one scenario, or of the whole benchmark where there are several. */
interface ScoredPart {
  /** Null for the whole benchmark. */
  readonly scenario: string | null;
  readonly items: number;
  readonly score: number | null;
  readonly interval: Interval | null;
  readonly answered: number;
  readonly of: number;
  readonly predicted?: true;
}

function resultsOf({ manifest }: Bundle, estimate: WarnedEstimate): Record<string, unknown>[] {
  const sizes = new Map(manifest.scenarios.map(({ id, items }) => [id, items]));
  const scenarios = Object.entries(estimate.scenarios);
  const all = [...sizes.values()].reduce((sum, items) => sum + items, 0);
  const parts: ScoredPart[] = [
    ...(scenarios.length > 1 ? [{ ...estimate, scenario: null, items: all }] : []),
    ...scenarios.map(([scenario, result]) => ({ ...result, scenario, items: sizes.get(scenario)! })),
  ];
  return parts.flatMap((part) => (part.score === null ? [] : [resultOf(part, manifest, estimate)]));
}

function resultOf(
  { scenario, items, score, interval, answered, of, predicted }: ScoredPart,
  { protocol, benchmark, version }: Bundle["manifest"],
  { form, digest }: WarnedEstimate,
): Record<string, unknown> {
  const name = scenario ?? benchmark;
  const { metric } = protocol;
  const kind = typeof metric === "string" && metric !== "mixed" ? metric : "score";
  const how =
    interval?.method === "exact"
      ? `the mean over all ${items} items`
      : answered === 0
        ? "predicted from the other scenarios' scores"
        : `estimated from ${answered} anchors of ${items} items${predicted === true ? "; scenarios that weren't asked are predicted" : ""}`;
  return {
    evaluation_result_id: `${benchmark}@${version}#${form}/${scenario ?? "overall"}`,
    evaluation_name: name,
    source_data: {
      dataset_name: name,
      source_type: "other",
      additional_details: { benchmark, version, items: String(items) },
    },
    metric_config: {
      evaluation_description: `${name}: ${kind}, ${how}, by anchoreval's bundle ${benchmark} ${version} (${digest})`,
      metric_id: "anchoreval.estimate",
      metric_name: `${kind}, ${how}`,
      metric_kind: kind,
      metric_unit: "proportion",
      lower_is_better: false,
      score_type: "continuous",
      min_score: 0,
      max_score: 1,
    },
    score_details: {
      score,
      uncertainty: {
        ...(interval && {
          confidence_interval: {
            lower: interval.low,
            upper: interval.high,
            confidence_level: interval.level,
            method: `anchoreval: ${interval.method}`,
          },
        }),
        num_samples: answered,
      },
      details: { method: how, anchors: String(of), answered: String(answered), items: String(items) },
    },
  };
}

/** Characters and names that the datastore's folders can't have. */
const NOT_PORTABLE = /[<>:"\\|?*\p{Cc}]|[. ]$/u;
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|^data$|^\.{1,2}$/i;

/** Folders of a model's developer and of the model, as the datastore names them. */
function modelFolders(model: string): [developer: string, model: string] {
  const [developer = "", ...names] = model.split("/");
  if (names.length === 0 || [developer, ...names].some((name) => name.trim() === "" || name !== name.trim()))
    throw invalidOption(
      `Every Eval Ever names a model as ORG/NAME, and this one is called ${model === "" ? "nothing" : model}: name it by \`modelName\` ORG/NAME`,
    );
  const folders: [string, string] = [developer, names.join("_")];
  const broken = folders.find((name) => NOT_PORTABLE.test(name) || RESERVED.test(name));
  if (broken !== undefined)
    throw invalidOption(
      `${broken} can't be a folder of Every Eval Ever's datastore: name the model otherwise, by \`modelName\` ORG/NAME`,
    );
  return folders;
}

/** A UUID of version 4 in shape, its digits those of a content's SHA-256: the same content has the same name. */
function contentUuid(content: string): string {
  const hex = sha256Text(content);
  const variant = "89ab"[Number.parseInt(hex[16]!, 16) % 4]!;
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, variant + hex.slice(17, 20), hex.slice(20, 32)].join("-"); // prettier-ignore
}
