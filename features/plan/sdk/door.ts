import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { invalidOption, type OptionNames } from "../../../sdk/core/errors.ts";
import type { All, FieldsOf } from "../../../sdk/estimate/door.ts";
import { PLAN_OPTIONS, planFromBundle } from "./plan-from-bundle.ts";
import type { Plan, PlanOptions } from "./types.ts";

/** A plan of something else than items, which an option asks for. */
export interface PlanReading<Options extends object, Result extends object> {
  /** The option, as messages name it. */
  readonly what: string;
  readonly options: OptionNames<Options>;
  reads(request: Partial<Options>): boolean;
  plan(bundle: Bundle, options: Options): Result;
}

/** Figures beside a plan of items, such as what its forms cost. */
export interface PlanRemark<Options extends object, Fields extends object> {
  readonly options: OptionNames<Options>;
  /** @returns null where this bundle, or this request, has none */
  beside(bundle: Bundle, plan: Plan, options: PlanOptions & Options): Fields | null;
}

interface AnyReading {
  readonly what: string;
  readonly options: object;
  reads(request: never): boolean;
  plan(bundle: Bundle, options: never): object;
}
interface AnyRemark {
  readonly options: object;
  beside(bundle: Bundle, plan: Plan, options: never): object | null;
}

/** Requests that some readings take. */
export type ReadRequest<Reading> = Reading extends { plan(b: Bundle, options: infer O): object } ? O : never;
/** Plans of some readings. */
export type ReadPlan<Reading> = Reading extends { plan(b: Bundle, options: never): infer R } ? R : never;
type AskedOf<Remark> = Remark extends { beside(b: Bundle, p: Plan, options: infer O): unknown } ? O : never;

/** A request for a plan of items, with the options of some remarks. */
export type RemarkedRequest<Remark> = PlanOptions & All<AskedOf<Remark>>;
/** A plan of items, with the fields of some remarks. */
export type RemarkedPlan<Remark> = Plan & All<FieldsOf<Remark>>;

/**
 * The one way from a request to a plan: JavaScript, a Worker and Python's package call the same one. A request that no
 * reading takes is for a plan of items.
 */
export function planDoor<const Readings extends readonly AnyReading[], const Remarks extends readonly AnyRemark[]>({
  readings,
  remarks,
}: {
  readonly readings: Readings;
  readonly remarks: Remarks;
}) {
  type Reading = Readings[number];
  type Remark = Remarks[number];
  type Request = RemarkedRequest<Remark> & Partial<All<ReadRequest<Reading>>>;
  const besides = Object.assign({}, ...remarks.map(({ options }) => options)) as object;
  const itemNames = { ...PLAN_OPTIONS, ...besides };
  return (bundle: Bundle, request = {} as Request): RemarkedPlan<Remark> | ReadPlan<Reading> => {
    const asked = Object.entries(request).filter(([, value]) => value !== undefined);
    const reading = readings.find((one) => one.reads(request as never));
    if (reading) {
      const idle = asked.find(([name]) => Object.hasOwn(itemNames, name) && !Object.hasOwn(reading.options, name));
      if (idle) throw invalidOption(`${idle[0]} doesn't go with ${reading.what}`);
      return reading.plan(bundle, Object.fromEntries(asked) as never) as ReadPlan<Reading>;
    }
    const options = Object.fromEntries(asked.filter(([name]) => !Object.hasOwn(besides, name)));
    const plan = planFromBundle(bundle, options);
    const fields = remarks.map((remark) => remark.beside(bundle, plan, request as never));
    return Object.assign({}, plan, ...fields) as RemarkedPlan<Remark>;
  };
}
