import { fromBase64Url } from "../bundles/bytes.ts";
import type { ItemBank } from "../core/irt/item-bank.ts";
import { EXP_STEPS } from "../core/numeric/functions.ts";
import { type BankSums, takeSumsBy } from "../core/scoring/predicted-scores.ts";

/** simd-sums.wat, assembled, in base64url. */
export const SIMD_SUMS =
  "AGFzbQEAAAABCQFgBX9_f39_AAMCAQAFAwEAAQcRAgZtZW1vcnkCAARzdW1zAAAKhQcBggcEA38BewJ8CHsgAiABQQN0aiEGIAQgAEEDdGohBwNAIAP9XQMA_V8hCyAD_V0DCP1fIQ8gAiEFA0AgBf0KAwAhCCADQRBqIQMgCyAD_V0DAP1fIAj98gH98QEhCyAPIAP9XQMI_V8gCP3yAf3xASEPIAVBCGoiBSAGSQ0ACyADQRBqIQMgC_0M_oIrZUcVp0D-gitlRxWnQP3yAf0MAAAAAAAAOEMAAAAAAAA4Q_3wASEMIA_9DP6CK2VHFadA_oIrZUcVp0D98gH9DAAAAAAAADhDAAAAAAAAOEP98AEhECAM_QwAAAAAAAA4QwAAAAAAADhD_fEBIQ0gEP0MAAAAAAAAOEMAAAAAAAA4Q_3xASERIAsgDf0MAADg_kIuNj8AAOD-Qi42P_3yAf3xASAN_Qx2PHk17zk6PXY8eTXvOTo9_fIB_fEBIQ0gDyAR_QwAAOD-Qi42PwAA4P5CLjY__fIB_fEBIBH9DHY8eTXvOTo9djx5Ne85Oj398gH98QEhESAM_RsCQf8PcUEDdCAM_RsAQf8PcUEDdP1dA0D9VwNAASEOIBD9GwJB_w9xQQN0IBD9GwBB_w9xQQN0_V0DQP1XA0ABIRIgDiAOIA0gDSAN_fIB_QwAAAAAAADgPwAAAAAAAOA_IA39DFVVVVVVVcU_VVVVVVVVxT_98gH98AH98gH98AH98gH98AEhDiASIBIgESARIBH98gH9DAAAAAAAAOA_AAAAAAAA4D8gEf0MVVVVVVVVxT9VVVVVVVXFP_3yAf3wAf3yAf3wAf3yAf3wASESIA4gDEEL_c0BQTT9ywH9zgEhDiASIBBBC_3NAUE0_csB_c4BIRL9DAAAAAAAAPA_AAAAAAAA8D_9DAAAAAAAAPA_AAAAAAAA8D8gDv3wAf3zASEL_QwAAAAAAADwPwAAAAAAAPA__QwAAAAAAADwPwAAAAAAAPA_IBL98AH98wEhDyAE_QAEACAL_fIBIQ4gBP0ABBAgD_3yASESIA79DAAAAAAAAPA_AAAAAAAA8D8gC_3xAf3yASENIBL9DAAAAAAAAPA_AAAAAAAA8D8gD_3xAf3yASERIAkgDv0hAKAgDv0hAaAgEv0hAKAgEv0hAaAhCSAKIA39IQCgIA39IQGgIBH9IQCgIBH9IQGgIQogBEEgaiIEIAdJDQALQQAgCTkDAEEIIAo5AwAL";

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly sums: (count: number, dims: number, theta: number, parameters: number, w: number) => void;
}

const TURN = 4;
/** Where the module's table begins, and where banks may begin. @unit bytes */
const [TABLE, FREE] = [64, 64 + 8 * EXP_STEPS.length];
/** All that banks may take. @unit bytes */
const LARGEST = 1 << 22;
const PAGE = 1 << 16;
/** Loads across lines of the cache take twice as long. @unit bytes */
const LINE = 64;
/** The exponential's range. @unit logits */
const REACH = 700;

/** Assembled once. */
let simd: BankSums | undefined;

/**
 * Has WebAssembly take the sums over a bank's items, two at a time: the same to the last bit, in less time. Banks stay in the
 * module's memory until it has no room. Where a runtime has no SIMD, or lets no module be compiled from bytes, the sums
 * stay JavaScript's; Workers let it as they start.
 * @see docs/decisions/serving.md
 */
export function useSimd(): void {
  try {
    simd ??= simdSums();
    takeSumsBy(simd);
  } catch {
    // no WebAssembly here
  }
}

function simdSums(): BankSums {
  // Cloudflare's types know of no module that is made from bytes.
  const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;
  const module = new Module(fromBase64Url(SIMD_SUMS)!);
  const { memory, sums } = new WebAssembly.Instance(module).exports as unknown as Exports;
  new Float64Array(memory.buffer, TABLE, EXP_STEPS.length).set(EXP_STEPS);
  const banks = new Map<ItemBank, HeldBank>();
  let free = FREE;
  return (theta, bank, weights) => {
    const { count, dims, a, b, lower, upper } = bank;
    const padded = Math.ceil(count / TURN) * TURN;
    const atItems = 8 * padded;
    const atTheta = atItems + 4 * padded * (1 + dims);
    const bytes = atTheta + 8 * dims;
    const isPlain = lower === null && upper === null && a instanceof Float32Array && b instanceof Float32Array;
    if (!isPlain || FREE + bytes > LARGEST) return null;
    const before = banks.get(bank);
    let held = before?.weights === weights ? before : null;
    if (held === null) {
      if (free + bytes > LARGEST) {
        banks.clear();
        free = FREE;
      }
      const lacking = free + bytes - memory.buffer.byteLength;
      if (lacking > 0) memory.grow(Math.ceil(lacking / PAGE));
      new Float64Array(memory.buffer, free, padded).fill(0, count).set(weights); // items that make the last turn whole weigh nothing
      layOut(bank, new Float32Array(memory.buffer, free + atItems, padded * (1 + dims)));
      held = { weights, begin: free, ...extremesOf(bank) };
      banks.set(bank, held);
      free = Math.ceil((free + bytes) / LINE) * LINE;
    }
    const { begin, farthest, steepest } = held;
    const reach = steepest.reduce((sum, slope, d) => sum + slope * Math.abs(theta[d]!), farthest);
    if (!(reach < REACH)) return null; // too far, or no number
    new Float64Array(memory.buffer, begin + atTheta, dims).set(theta);
    sums(padded, dims, begin + atTheta, begin + atItems, begin);
    const [score, spread] = new Float64Array(memory.buffer, 0, 2);
    return { score: score!, spread: spread! };
  };
}

/** Bounds of a bank's parameters, and so of its items' logits at any ability. */
interface Extremes {
  /** Largest |b|. */
  readonly farthest: number;
  /** Largest |a| of each dimension. */
  readonly steepest: Float64Array;
}

/** A bank in the module's memory: weights, parameters, an ability. */
interface HeldBank extends Extremes {
  readonly weights: Float64Array;
  /** @unit bytes */
  readonly begin: number;
}

function extremesOf({ count, dims, a, b }: ItemBank): Extremes {
  const steepest = new Float64Array(dims);
  let farthest = 0;
  for (let i = 0; i < count; i++) {
    farthest = Math.max(farthest, Math.abs(b[i]!));
    for (let d = 0; d < dims; d++) steepest[d] = Math.max(steepest[d]!, Math.abs(a[i * dims + d]!));
  }
  return { farthest, steepest };
}

/** Of four items each b, then a of each dimension. */
function layOut({ count, dims, a, b }: ItemBank, place: Float32Array): void {
  place.fill(0);
  for (let i = 0; i < count; i++) {
    const at = (i - (i % TURN)) * (1 + dims) + (i % TURN);
    place[at] = b[i]!;
    for (let d = 0; d < dims; d++) place[at + TURN * (1 + d)] = a[i * dims + d]!;
  }
}
