import { codeResponses, type CodedResponses } from "../matrix/code-responses.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import type { CalibrationBackend, DeviceOptimizer, Optimizer } from "./types.ts";

/** Half of what one calibration may take of a card of 8 GB: another one may be calibrated meanwhile. @unit bytes */
const SHARED_BYTES = 3 * 2 ** 30;

/** Matrices that lie on a device for several calibrations of some of their models. */
export interface SharedDevices {
  /**
   * The backend of calibrations of some models alone. Where these models' coded answers are rows of a matrix here, they are
   * calibrated among them, the others' answers counting for nothing; elsewhere on their own, as without this.
   * @param models - ascending
   */
  among(models: readonly number[]): CalibrationBackend;
  dispose(): Promise<void>;
}

/**
 * Shares a device among the calibrations of some matrices' models: a matrix crosses once for all folds. Graded scores are cut
 * where a fold's models choose, so that their coded answers aren't the same in every fold: they cross with each. Which way a
 * fold goes depends on its models' answers alone.
 * @param models - whose answers may cross
 */
export function sharedDevices(
  backend: CalibrationBackend,
  matrices: readonly ResponseMatrix[],
  models: readonly number[],
): SharedDevices {
  if (!backend.openOptimizer) return { among: () => backend, dispose: () => Promise.resolve() };
  const coded = new Map<ResponseMatrix, CodedResponses>();
  const codedOf = (matrix: ResponseMatrix): CodedResponses => {
    const responses = coded.get(matrix) ?? codeResponses(matrix, models, null);
    coded.set(matrix, responses);
    return responses;
  };
  /** Least recently used first. */
  const open = new Map<string, DeviceOptimizer>();
  const opened = async (matrix: ResponseMatrix, dims: number): Promise<DeviceOptimizer> => {
    const key = `${matrices.indexOf(matrix)} ${dims}`;
    const device = open.get(key) ?? (await backend.openOptimizer!(codedOf(matrix), dims));
    open.delete(key);
    open.set(key, device);
    for (const [other, idle] of open) {
      const bytes = [...open.values()].reduce((sum, each) => sum + each.bytes, 0);
      if (other === key || bytes <= SHARED_BYTES) break;
      open.delete(other);
      await idle.dispose();
    }
    return device;
  };
  return {
    among: (some) => {
      const kept = new Set(some);
      const places = [...models.keys()].filter((k) => kept.has(models[k]!));
      return {
        ...backend,
        openOptimizer: async (responses, dims) => {
          for (const matrix of matrices) {
            if (matrix.items.length !== responses.items) continue;
            const rows = rowsAmong(responses, codedOf(matrix), places);
            if (rows === null) continue;
            const device = await opened(matrix, dims);
            const among = (part: ArrayLike<number>): Optimizer => device.among(Array.from(part, (k) => rows[k]!));
            return { ...device.among(rows), among, bytes: device.bytes };
          }
          return backend.openOptimizer!(responses, dims);
        },
      };
    },
    dispose: async () => {
      for (const device of open.values()) await device.dispose();
      open.clear();
    },
  };
}

/**
 * Where the rows of a matrix stand in a larger one.
 * @param places - rows of the larger one that are looked at, in the order that rows may come in
 * @returns null where one of them isn't there
 */
function rowsAmong(
  { subjects, items, signs }: CodedResponses,
  whole: CodedResponses,
  places: readonly number[],
): number[] | null {
  const isRow = (row: number, place: number): boolean => {
    for (let i = 0, at = row * items, other = place * items; i < items; i++)
      if (signs[at++] !== whole.signs[other++]) return false;
    return true;
  };
  const rows: number[] = [];
  for (const place of places) if (rows.length < subjects && isRow(rows.length, place)) rows.push(place);
  return rows.length === subjects ? rows : null;
}
