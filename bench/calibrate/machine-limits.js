import * as runtime from "onnxruntime-node";
import { encodeOnnxModel } from "../../offline-trainer/dist/backends/onnx/graph-writer.js";

/** Seconds and repetitions that each measurement takes at least; the fastest repetition counts. */
const LEAST_SECONDS = 0.5;
const LEAST_REPEATS = 10;

/** Of one array of a block of the calibration's, 2¹⁸ cells in float32: operators read and write several such. */
const BLOCK_BYTES = 1 << 20;

/**
 * What one core of this machine can do: bytes copied a second, read and written counted both, of the size of a block and
 * out of memory; operations a second of float32 matrix products, of a large one and of the one that a calibration in `dims`
 * dimensions consists of; numbers a second in a loop of JavaScript, y + c·x; and logistic functions a second.
 */
export async function machineLimits(dims) {
  const [rows, columns] = [400, 640];
  const products = async (m, k, n) => (2 * m * k * n) / (await time(await gemm(m, k, n)));
  return {
    cacheBytes: await copied(BLOCK_BYTES),
    memoryBytes: await copied(1 << 26),
    largeProduct: await products(512, 512, 512),
    ownProduct: await products(rows, dims + 1, columns),
    loop: await looped(1 << 18),
    sigmoids: (rows * columns) / (await time(await sigmoid(rows * columns))),
  };
}

/** @param bytes - of the array that is copied */
async function copied(bytes) {
  const [from, to] = [new Float32Array(bytes / 4).fill(1), new Float32Array(bytes / 4)];
  return (2 * bytes) / (await time(() => to.set(from)));
}

/** @param count - of numbers in a vector, about a calibration's parameters */
async function looped(count) {
  const [x, y] = [new Float64Array(count).fill(1e-9), new Float64Array(count)];
  const pass = () => {
    for (let k = 0; k < count; k++) y[k] = y[k] + 0.5 * x[k];
  };
  return count / (await time(pass));
}

function gemm(m, k, n) {
  const model = encodeOnnxModel({
    name: "product",
    inputs: [
      { name: "X", type: "float32", shape: [m, k] },
      { name: "A", type: "float32", shape: [n, k] },
    ],
    outputs: [{ name: "Z", type: "float32", shape: [m, n] }],
    constants: [],
    nodes: [{ op: "Gemm", inputs: ["X", "A"], outputs: ["Z"], attributes: { transB: 1 } }],
  });
  return session(model, { X: [m, k], A: [n, k] }, [m, n], "Z");
}

function sigmoid(count) {
  const model = encodeOnnxModel({
    name: "sigmoid",
    inputs: [{ name: "X", type: "float32", shape: [count] }],
    outputs: [{ name: "Z", type: "float32", shape: [count] }],
    constants: [],
    nodes: [{ op: "Sigmoid", inputs: ["X"], outputs: ["Z"] }],
  });
  return session(model, { X: [count] }, [count], "Z");
}

async function session(model, inputs, shape, output) {
  const opened = await runtime.InferenceSession.create(model, { executionProviders: ["cpu"], intraOpNumThreads: 1 });
  const tensor = (dims) => {
    const data = Float32Array.from({ length: dims.reduce((size, dim) => size * dim, 1) }, (_, k) => ((k % 17) - 8) / 8);
    return new runtime.Tensor("float32", data, dims);
  };
  const feeds = Object.fromEntries(Object.entries(inputs).map(([name, dims]) => [name, tensor(dims)]));
  // Written in place: what is measured is the operator, not the making of arrays.
  const fetches = { [output]: tensor(shape) };
  return () => opened.run(feeds, fetches);
}

/** Seconds of the fastest of several repetitions. */
async function time(run) {
  await run();
  let best = Infinity;
  const end = performance.now() + 1e3 * LEAST_SECONDS;
  for (let k = 0; k < LEAST_REPEATS || performance.now() < end; k++) {
    const begun = performance.now();
    await run();
    best = Math.min(best, (performance.now() - begun) / 1e3);
  }
  return best;
}
