import type { InferenceSession, Tensor } from "onnxruntime-node";
import type { Nearest, NearestCentroids, Points } from "../../clustering/nearest-centroids.ts";
import { assignPoint, nearestInFloat64, squareDistance } from "../nearest-in-float64.ts";
import { feedsBlocks } from "./block-runner.ts";
import { centredSpace, lengths } from "./centred-space.ts";
import { nearestGraph } from "./nearest-graph.ts";
import { nearestSlack } from "./nearest-slack.ts";
import { openSession, runSession, type OnnxRuntime } from "./open-session.ts";

export interface OnnxNearestOptions {
  readonly provider: string;
  readonly type: "float32" | "float64";
  /** Points × centroids, and points × dimensions, of a block at most. */
  readonly blockCells: number;
}

/** Consecutive points on the device. */
interface Block {
  readonly first: number;
  /** Length of every point, centred; not finite where a coordinate isn't. */
  readonly radii: Float64Array;
  /** The points to feed; none where they are baked in. */
  readonly feeds: Readonly<Record<string, Tensor>>;
  readonly session: InferenceSession;
}

/** Centroids farther out than this, in units of the points' spread, overflow float32 when squared. */
const FARTHEST = 2 ** 60;

/**
 * Nearest centroids on a device. Where its rounding leaves more than one centroid the chance to be the nearest, the
 * point is settled by the plain sums.
 * @throws AnchorEvalError `unavailable` where the provider doesn't start
 */
export async function onnxNearest(
  runtime: OnnxRuntime,
  { provider, type, blockCells }: OnnxNearestOptions,
  points: Points,
  k: number,
): Promise<NearestCentroids> {
  const { count, dims, values } = points;
  const plain = nearestInFloat64(points, k);
  const space = centredSpace(points);
  if (space === null) return plain;

  const numbers = type === "float32" ? Float32Array : Float64Array;
  const tensor = (data: Float32Array | Float64Array, sides: readonly number[]): Tensor =>
    new runtime.Tensor(type, data as never, sides);
  const most = Math.max(1, Math.floor(blockCells / Math.max(k, dims)));
  const rows = Math.ceil(count / Math.ceil(count / most));
  const shape = { rows, k, dims, type };
  const sessions: InferenceSession[] = [];
  const open = async (model: Uint8Array): Promise<InferenceSession> => {
    const session = await openSession(runtime, provider, model);
    sessions.push(session);
    return session;
  };
  const dispose = async (): Promise<void> => {
    for (const session of sessions) await session.release();
  };
  const blocks: Block[] = [];
  try {
    const shared = feedsBlocks(provider) ? await open(nearestGraph(shape)) : null;
    for (let first = 0; first < count; first += rows) {
      const moved = space.move(values.subarray(first * dims, Math.min(count, first + rows) * dims));
      const own = new numbers(rows * dims);
      for (let at = 0; at < moved.length; at++) if (Number.isFinite(moved[at]!)) own[at] = moved[at]!;
      blocks.push({
        first,
        radii: lengths(moved, dims),
        feeds: shared ? { points: tensor(own, [rows, dims]) } : {},
        session: shared ?? (await open(nearestGraph({ ...shape, points: own }))),
      });
    }
  } catch (error) {
    await dispose();
    throw error;
  }

  const assign = async (centroids: Float64Array): Promise<Nearest> => {
    const moved = space.move(centroids);
    const norms = lengths(moved, dims);
    const reach = norms.reduce((most, norm) => Math.max(most, norm), 0);
    if (!(reach < FARTHEST)) return plain.assign(centroids);
    const feeds = {
      centroids: tensor(numbers.from(moved.map((value) => -2 * value)), [k, dims]),
      norms: tensor(numbers.from(norms.map((norm) => norm * norm)), [k]),
    };
    const nearest = { labels: new Int32Array(count), squares: new Float64Array(count) };
    for (const { first, radii, feeds: own, session } of blocks) {
      const slack = new numbers(rows);
      radii.forEach((radius, row) => (slack[row] = nearestSlack(dims, type, radius, reach)));
      const results = await runSession(session, provider, { ...feeds, ...own, slack: tensor(slack, [rows, 1]) });
      const labels = results["labels"]!.data as BigInt64Array;
      const rivals = results["rivals"]!.data as Float32Array;
      for (let row = 0; row < radii.length; row++) {
        const point = first + row;
        if (rivals[row] !== 1 || !Number.isFinite(slack[row]!)) {
          assignPoint(points, point, centroids, k, nearest);
          continue;
        }
        const label = Number(labels[row]);
        nearest.labels[point] = label;
        nearest.squares[point] = squareDistance(points, point, centroids, label);
      }
    }
    return nearest;
  };
  return { assign, dispose };
}
