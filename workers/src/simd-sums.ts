import { fromBase64Url } from "anchoreval/internal/bytes";
import type { ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { EXP_STEPS } from "anchoreval/internal/core/numeric/functions";
import { type BankSums, takeSumsBy } from "anchoreval/internal/core/scoring/predicted-scores";

/** simd-sums.wat, assembled, in base64url. */
export const SIMD_SUMS =
  "AGFzbQEAAAABCQFgBX9_f39_AAMCAQAFAwEAAQcRAgZtZW1vcnkCAARzdW1zAAAK5wcB5AcEA38DewJ8CHsgAiABQQN0aiEGIAQgAEEDdGohBwNAIAP9AAQAIQkgCf1f_e0BIQ0gCSAJ_Q0ICQoLDA0ODwgJCgsMDQ4P_V_97QEhESACIQUDQCAF_QoDACEIIANBEGoiA_0ABAAhCSANIAn9XyAI_fIB_fABIQ0gESAJIAn9DQgJCgsMDQ4PCAkKCwwNDg_9XyAI_fIB_fABIREgBUEIaiIFIAZJDQALIANBEGohAyAN_e0BIQ0gEf3tASERIAogDf3sAf31ASEKIAogEf3sAf31ASEKIA39DP6CK2VHFadA_oIrZUcVp0D98gH9DAAAAAAAADhDAAAAAAAAOEP98AEhDiAR_Qz-gitlRxWnQP6CK2VHFadA_fIB_QwAAAAAAAA4QwAAAAAAADhD_fABIRIgDv0MAAAAAAAAOEMAAAAAAAA4Q_3xASEPIBL9DAAAAAAAADhDAAAAAAAAOEP98QEhEyANIA_9DAAA4P5CLjY_AADg_kIuNj_98gH98QEgD_0Mdjx5Ne85Oj12PHk17zk6Pf3yAf3xASEPIBEgE_0MAADg_kIuNj8AAOD-Qi42P_3yAf3xASAT_Qx2PHk17zk6PXY8eTXvOTo9_fIB_fEBIRMgDv0bAkH_D3FBA3QgDv0bAEH_D3FBA3T9XQNA_VcDQAEhECAS_RsCQf8PcUEDdCAS_RsAQf8PcUEDdP1dA0D9VwNAASEUIBAgECAPIA8gD_3yAf0MAAAAAAAA4D8AAAAAAADgPyAP_QxVVVVVVVXFP1VVVVVVVcU__fIB_fAB_fIB_fAB_fIB_fABIRAgFCAUIBMgEyAT_fIB_QwAAAAAAADgPwAAAAAAAOA_IBP9DFVVVVVVVcU_VVVVVVVVxT_98gH98AH98gH98AH98gH98AEhFCAQIA5BC_3NAUE0_csB_c4BIRAgFCASQQv9zQFBNP3LAf3OASEU_QwAAAAAAADwPwAAAAAAAPA__QwAAAAAAADwPwAAAAAAAPA_IBD98AH98wEhDf0MAAAAAAAA8D8AAAAAAADwP_0MAAAAAAAA8D8AAAAAAADwPyAU_fAB_fMBIREgBP0ABAAgDf3yASEQIAT9AAQQIBH98gEhFCAQ_QwAAAAAAADwPwAAAAAAAPA_IA398QH98gEhDyAU_QwAAAAAAADwPwAAAAAAAPA_IBH98QH98gEhEyALIBD9IQCgIBD9IQGgIBT9IQCgIBT9IQGgIQsgDCAP_SEAoCAP_SEBoCAT_SEAoCAT_SEBoCEMIARBIGoiBCAHSQ0AC0EAIAs5AwBBCCAMOQMAQRAgCv0hACAK_SEBpTkDAAs";

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly sums: (count: number, dims: number, theta: number, parameters: number, w: number) => void;
}

/** Items of a turn. */
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

/**
 * Has WebAssembly take the sums over a bank's items, two at a time: the same to the last bit, in less time. Banks stay in the
 * module's memory until it has no room. Where a runtime has no SIMD, or lets no module be compiled from bytes, the sums
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
    const atItems = begin + 8 * padded;
    const atTheta = atItems + 4 * padded * (1 + dims);
    new Float64Array(buffer, atTheta, dims).set(theta);
    if (held === null) {
      new Float64Array(buffer, begin, padded).fill(0, count).set(weights); // items that make the last turn whole weigh nothing
      const items = new Float32Array(buffer, atItems, padded * (1 + dims)).fill(0);
      for (let i = 0; i < count; i++) {
        const at = (i - (i % TURN)) * (1 + dims) + (i % TURN);
        items[at] = b[i]!;
        for (let d = 0; d < dims; d++) items[at + TURN * (1 + d)] = a[i * dims + d]!;
      }
      banks.set(bank, { weights, begin });
      free = Math.ceil((begin + bytes) / LINE) * LINE;
    }
    sums(padded, dims, atTheta, atItems, begin);
    const [score, spread, most] = new Float64Array(buffer, 0, 3);
    return most! < REACH ? { score: score!, spread: spread! } : null;
  };
}
