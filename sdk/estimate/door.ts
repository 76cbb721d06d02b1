import type { Bundle } from "../core/bundle/bundle.ts";
import { checkCall, invalidOption, type OptionNames } from "../core/errors.ts";
import { remembered } from "../core/scoring/scoring-model.ts";
import type { AnyResponses, Responses, TrialResponses } from "../tables/item-trials.ts";
import { namedAnswers } from "./resolve-answers.ts";
import type { EstimateOptions } from "./types.ts";

/** Answers of another kind than one score an item, or another score of them. */
export interface Reading<Options extends object, Result extends object> {
  /** Named in messages by what it estimates: "the mean of several trials". */
  readonly what: string;
  /** Beside those of every estimate. */
  readonly options: OptionNames<Options>;
  /** Whether answers of this kind, or this score of them, are meant. Of several that say yes, the first one reads. */
  reads(bundle: Bundle, answers: AnyResponses, options: Options): boolean;
  /** @param answers - by item id; those of an array come with the form whose order it had */
  estimate(bundle: Bundle, answers: TrialResponses, options: Options & Omit<EstimateOptions, "formDigest">): Result;
}

/** Figures beside an estimate of any kind, such as what its answers cost. */
export interface Remark<Options extends object, Result extends object, Fields extends object> {
  readonly options: OptionNames<Options>;
  /** @returns null where this bundle, or these answers, have none */
  beside(
    bundle: Bundle,
    answers: () => TrialResponses,
    result: Result,
    options: Options & EstimateOptions,
  ): Fields | null;
}

interface AnyReading {
  readonly what: string;
  readonly options: object;
  reads(bundle: Bundle, answers: AnyResponses, options: never): boolean;
  estimate(bundle: Bundle, answers: TrialResponses, options: never): object;
}
interface AnyRemark {
  readonly options: object;
  beside(bundle: Bundle, answers: () => TrialResponses, result: never, options: never): object | null;
}

/** The intersection of the members of a union. */
export type All<T> = (T extends unknown ? (value: T) => void : never) extends (value: infer Every) => void
  ? Every
  : never;
type OptionsOf<P> = P extends { reads(b: Bundle, a: AnyResponses, options: infer O): boolean }
  ? O
  : P extends { beside(b: Bundle, a: () => TrialResponses, r: never, options: infer O): unknown }
    ? O
    : never;
type ResultOf<P> = P extends { estimate(b: Bundle, a: TrialResponses, options: never): infer R } ? R : never;
/** The fields that a remark may add. */
export type FieldsOf<P> = P extends { beside(...all: never[]): infer F } ? Partial<NonNullable<F>> : never;

/** Options of a door with these readings and remarks. */
export type DoorOptions<Plugs extends readonly unknown[]> = EstimateOptions & PlugOptions<Plugs>;

/** The options of readings or remarks. */
export type PlugOptions<Plugs extends readonly unknown[]> = All<OptionsOf<Plugs[number]>>;

/** Results of a door with these readings and remarks. */
export type DoorResult<Plain, Readings extends readonly unknown[], Remarks extends readonly unknown[]> = (
  Plain | ResultOf<Readings[number]>
) &
  All<FieldsOf<Remarks[number]>>;

/**
 * The one way from answers to an estimate. Its options, results and fields are typed by the lists; what none of them has is
 * refused. Answers that no reading takes are one score an item.
 * @param plain - estimates from one score an item
 * @param options - of `plain`
 */
export function door<
  Plain extends object,
  const Readings extends readonly AnyReading[],
  const Remarks extends readonly AnyRemark[],
>(
  plain: (bundle: Bundle, answers: Responses, options: EstimateOptions) => Plain,
  options: OptionNames<EstimateOptions>,
  { readings, remarks }: { readonly readings: Readings; readonly remarks: Remarks },
) {
  type Options = DoorOptions<[...Readings, ...Remarks]>;
  const plugs: readonly (AnyReading | AnyRemark)[] = [...readings, ...remarks];
  const names = Object.assign({}, options, ...plugs.map((plug) => plug.options)) as OptionNames<Options>;
  return (bundle: Bundle, answers: AnyResponses, asked: Options): DoorResult<Plain, Readings, Remarks> => {
    checkCall(bundle, "loadBundle", asked, names);
    const reading = readings.find((one) => one.reads(bundle, answers, asked as never));
    if (reading) refuseIdle(asked, reading, readings);
    const taken = reading ? { ...options, ...reading.options } : options;
    const passed = Object.fromEntries(Object.entries(asked).filter(([name]) => Object.hasOwn(taken, name)));
    const named = remembered((): { responses: TrialResponses; form?: string } =>
      Array.isArray(answers)
        ? namedAnswers(bundle, answers as readonly (number | null)[], asked)
        : { responses: answers as TrialResponses },
    );
    const read = (one: AnyReading): object => {
      const { responses, ...form } = named();
      const others = Object.entries(passed).filter(([name]) => name !== "formDigest");
      return one.estimate(bundle, responses, { ...Object.fromEntries(others), ...form } as never);
    };
    const result = reading ? read(reading) : plain(bundle, answers as Responses, passed);
    const fields = remarks.map((one) => one.beside(bundle, () => named().responses, result as never, asked as never));
    return Object.assign({}, result, ...fields) as DoorResult<Plain, Readings, Remarks>;
  };
}

/** Refuses the options of other readings than the one that takes the answers. */
function refuseIdle(asked: object, reading: AnyReading, readings: readonly AnyReading[]): void {
  for (const [name, value] of Object.entries(asked)) {
    const other = readings.find((one) => Object.hasOwn(one.options, name));
    if (value !== undefined && other && !Object.hasOwn(reading.options, name))
      throw invalidOption(`${name} is for ${other.what}, and these answers are read for ${reading.what}`);
  }
}
