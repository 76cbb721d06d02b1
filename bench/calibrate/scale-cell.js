// One calibration of simulated responses in a process of its own, so that its peak memory is its own; JSON on stdout.
// usage: node scale-cell.js '{"models":400,"items":28659,"dims":10,"threads":2,"provider":"cpu","optimum":false}'
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { onnxNodeBackend } from "../../offline-trainer/dist/backends/node/onnx-node-backend.js";
import { resolveBackend } from "../../offline-trainer/dist/backends/resolve-backend.js";
import { calibrate } from "../../offline-trainer/dist/calibrate/calibrate.js";
import { machineLimits } from "./machine-limits.js";

const { models, items, dims, threads, provider, optimum, limits } = JSON.parse(process.argv[2]);
if (limits) console.log(JSON.stringify(await machineLimits(limits)));
else console.log(JSON.stringify(await cell()));

async function cell() {
  const responses = draw();
  const before = process.resourceUsage().maxRSS * 1024;
  const { backend, reason } = await resolveBackend(provider, threads);
  let last = null;
  const [begun, used] = [performance.now(), process.cpuUsage()];
  const found = await calibrate(responses, {
    dims,
    backend,
    random: createRandom(1).fork("calibration"),
    onRound: async (state) => {
      // The arrays are the optimiser's own: what the last round begins from is kept as a copy.
      if (optimum) last = { ...state, theta: state.theta.slice(), a: state.a.slice(), b: state.b.slice() };
    },
  });
  const seconds = (performance.now() - begun) / 1e3;
  const { user, system } = process.cpuUsage(used);
  const { value, evaluations, converged } = found;
  const peak = process.resourceUsage().maxRSS * 1024;
  const cpu = (user + system) / 1e6;
  const row = { models, items, dims, reason, seconds, cpu, evaluations, converged, value, before, peak };
  return optimum ? { ...row, optimum: await optimise(responses, last) } : row;
}

/** The last round once more, at the same scales, in float64 and until nothing moves. */
async function optimise(responses, resume) {
  const backend = onnxNodeBackend({ provider: "cpu", precision: "float64", threads });
  const begun = performance.now();
  const found = await calibrate(responses, {
    dims,
    backend,
    random: createRandom(1).fork("calibration"),
    resume,
    maxEvaluations: optimum,
    tolerance: 1e-10,
  });
  const { value, gradientNorm, evaluations, converged } = found;
  const seconds = (performance.now() - begun) / 1e3;
  return { value, gradientNorm, evaluations: evaluations - resume.evaluations, converged, seconds };
}

/** Answers of a 2PL with independent dimensions, the first the strongest: θ ~ N(0, I), b ~ N(0, 1.2²). */
function draw() {
  const random = createRandom(1).fork("draw");
  const theta = Float64Array.from({ length: models * dims }, () => random.normal());
  const a = Float64Array.from({ length: items * dims }, (_, k) =>
    k % dims === 0 ? Math.exp(0.4 * random.normal()) : (0.8 * random.normal()) / Math.sqrt(dims),
  );
  const b = Float64Array.from({ length: items }, () => 1.2 * random.normal());
  const signs = new Int8Array(models * items);
  let state = 0x9e3779b9;
  for (let m = 0, at = 0; m < models; m++)
    for (let i = 0; i < items; i++, at++) {
      let z = -b[i];
      for (let d = 0; d < dims; d++) z += a[i * dims + d] * theta[m * dims + d];
      // xorshift32: the streams of createRandom are too slow for hundreds of millions of answers.
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      signs[at] = (state >>> 0) / 2 ** 32 < 1 / (1 + Math.exp(-z)) ? 1 : -1;
    }
  return { subjects: models, items, signs };
}
