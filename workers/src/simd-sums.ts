import { fromBase64Url } from "anchoreval/internal/bytes";
import type { FloatArray, ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { EXP_STEPS } from "anchoreval/internal/core/numeric/functions";
import { type BankSums, takeSumsBy } from "anchoreval/internal/core/scoring/predicted-scores";

/** simd-sums.wat, assembled, in base64url. */
export const SIMD_SUMS =
  "AGFzbQEAAAABCgFgBn9_f39_fwADAgEABQMBAAEHEQIGbWVtb3J5AgAEc3VtcwAACvAHAe0HBAV_AnsCfAh7IAFBAnQhBiAGQQNsIQcgAiABQQN0aiEJIAUgAEEDdGohCgNAIAT9XQMA_V_97QEhDyAE_V0DCP1f_e0BIRMgAiEIA0AgCP0KAwAhCyAPIAMgBmogA_1cAgD9VgIAAf1fIAv98gH98AEhDyATIAMgB2ogAyAGQQF0av1cAgD9VgIAAf1fIAv98gH98AEhEyADQQRqIQMgCEEIaiIIIAlJDQALIAMgB2ohAyAP_e0BIQ8gE_3tASETIAwgD_3sAf31ASEMIAwgE_3sAf31ASEMIA_9DP6CK2VHFadA_oIrZUcVp0D98gH9DAAAAAAAADhDAAAAAAAAOEP98AEhECAT_Qz-gitlRxWnQP6CK2VHFadA_fIB_QwAAAAAAAA4QwAAAAAAADhD_fABIRQgEP0MAAAAAAAAOEMAAAAAAAA4Q_3xASERIBT9DAAAAAAAADhDAAAAAAAAOEP98QEhFSAPIBH9DAAA4P5CLjY_AADg_kIuNj_98gH98QEgEf0Mdjx5Ne85Oj12PHk17zk6Pf3yAf3xASERIBMgFf0MAADg_kIuNj8AAOD-Qi42P_3yAf3xASAV_Qx2PHk17zk6PXY8eTXvOTo9_fIB_fEBIRUgEP0bAkH_D3FBA3QgEP0bAEH_D3FBA3T9XQNA_VcDQAEhEiAU_RsCQf8PcUEDdCAU_RsAQf8PcUEDdP1dA0D9VwNAASEWIBIgEiARIBEgEf3yAf0MAAAAAAAA4D8AAAAAAADgPyAR_QxVVVVVVVXFP1VVVVVVVcU__fIB_fAB_fIB_fAB_fIB_fABIRIgFiAWIBUgFSAV_fIB_QwAAAAAAADgPwAAAAAAAOA_IBX9DFVVVVVVVcU_VVVVVVVVxT_98gH98AH98gH98AH98gH98AEhFiASIBBBC_3NAUE0_csB_c4BIRIgFiAUQQv9zQFBNP3LAf3OASEW_QwAAAAAAADwPwAAAAAAAPA__QwAAAAAAADwPwAAAAAAAPA_IBL98AH98wEhD_0MAAAAAAAA8D8AAAAAAADwP_0MAAAAAAAA8D8AAAAAAADwPyAW_fAB_fMBIRMgBf0ABAAgD_3yASESIAX9AAQQIBP98gEhFiAS_QwAAAAAAADwPwAAAAAAAPA_IA_98QH98gEhESAW_QwAAAAAAADwPwAAAAAAAPA_IBP98QH98gEhFSANIBL9IQCgIBL9IQGgIBb9IQCgIBb9IQGgIQ0gDiAR_SEAoCAR_SEBoCAV_SEAoCAV_SEBoCEOIARBEGohBCAFQSBqIgUgCkkNAAtBACANOQMAQQggDjkDAEEQIAz9IQAgDP0hAaU5AwAL";

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly sums: (count: number, dims: number, theta: number, a: number, b: number, w: number) => void;
}

/** Items of a turn. */
const TURN = 4;
/** Where the module's table begins, and where banks may begin. @unit bytes */
const [TABLE, FREE] = [64, 64 + 8 * EXP_STEPS.length];
/** All that banks may take. @unit bytes */
const LARGEST = 1 << 22;
const PAGE = 1 << 16;
/** The exponential's range. @unit logits */
const REACH = 700;

/**
 * Has WebAssembly take the sums over a bank's items, two at a time: the same to the last bit, in half the time. Banks stay in
 * the module's memory until it has no room. Where a runtime has no SIMD, or lets no module be compiled from bytes, the sums
 * stay JavaScript's; Workers let it as they start.
 * @see docs/decisions/0079-simd-sums.md
 */
export function useSimd(): void {
  try {
    takeSumsBy(simdSums());
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
  const banks = new Map<ItemBank, { readonly weights: Float64Array; readonly begin: number }>();
  let free = FREE;
  return (theta, bank, weights) => {
    const { count, dims, a, b, lower, upper } = bank;
    const padded = Math.ceil(count / TURN) * TURN;
    const bytes = 8 * (dims + padded) + 4 * padded * (1 + dims);
    const isPlain = lower === null && upper === null && a instanceof Float32Array && b instanceof Float32Array;
    if (!isPlain || FREE + bytes > LARGEST) return null;
    const known = banks.get(bank);
    const held = known?.weights === weights ? known : null;
    if (held === null && free + bytes > LARGEST) {
      banks.clear();
      free = FREE;
    }
    const begin = held?.begin ?? free;
    const lacking = begin + bytes - memory.buffer.byteLength;
    if (lacking > 0) memory.grow(Math.ceil(lacking / PAGE));
    const { buffer } = memory;
    const atTheta = begin + 8 * padded;
    const atB = atTheta + 8 * dims;
    const atA = atB + 4 * padded;
    new Float64Array(buffer, atTheta, dims).set(theta);
    if (held === null) {
      // Items that make the last turn whole weigh nothing.
      const put = (into: FloatArray, values: FloatArray): void => {
        into.set(values);
        into.fill(0, values.length);
      };
      put(new Float64Array(buffer, begin, padded), weights);
      put(new Float32Array(buffer, atB, padded), b);
      put(new Float32Array(buffer, atA, padded * dims), a);
      banks.set(bank, { weights, begin });
      free = Math.ceil((begin + bytes) / 8) * 8;
    }
    sums(padded, dims, atTheta, atA, atB, begin);
    const [score, spread, most] = new Float64Array(buffer, 0, 3);
    return most! < REACH ? { score: score!, spread: spread! } : null;
  };
}
