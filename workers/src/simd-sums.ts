import { fromBase64Url } from "anchoreval/internal/bytes";
import type { ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { EXP_STEPS } from "anchoreval/internal/core/numeric/functions";
import { type BankSums, takeSumsBy } from "anchoreval/internal/core/scoring/predicted-scores";

/** simd-sums.wat, assembled, in base64url. */
export const SIMD_SUMS =
  "AGFzbQEAAAABCQFgBX9_f39_AAMCAQAFAwEAAQcRAgZtZW1vcnkCAARzdW1zAAAK_QYB-gYEA38BewJ8CHsgAiABQQN0aiEGIAQgAEEDdGohBwNAIAP9AAQAIQsgA_0ABBAhDyACIQUDQCAF_QoDACEIIANBIGohAyALIAP9AAQAIAj98gH98QEhCyAPIAP9AAQQIAj98gH98QEhDyAFQQhqIgUgBkkNAAsgA0EgaiEDIAv9DP6CK2VHFadA_oIrZUcVp0D98gH9DAAAAAAAADhDAAAAAAAAOEP98AEhDCAP_Qz-gitlRxWnQP6CK2VHFadA_fIB_QwAAAAAAAA4QwAAAAAAADhD_fABIRAgDP0MAAAAAAAAOEMAAAAAAAA4Q_3xASENIBD9DAAAAAAAADhDAAAAAAAAOEP98QEhESALIA39DAAA4P5CLjY_AADg_kIuNj_98gH98QEgDf0Mdjx5Ne85Oj12PHk17zk6Pf3yAf3xASENIA8gEf0MAADg_kIuNj8AAOD-Qi42P_3yAf3xASAR_Qx2PHk17zk6PXY8eTXvOTo9_fIB_fEBIREgDP0bAkH_D3FBA3QgDP0bAEH_D3FBA3T9XQNA_VcDQAEhDiAQ_RsCQf8PcUEDdCAQ_RsAQf8PcUEDdP1dA0D9VwNAASESIA4gDiANIA0gDf3yAf0MAAAAAAAA4D8AAAAAAADgPyAN_QxVVVVVVVXFP1VVVVVVVcU__fIB_fAB_fIB_fAB_fIB_fABIQ4gEiASIBEgESAR_fIB_QwAAAAAAADgPwAAAAAAAOA_IBH9DFVVVVVVVcU_VVVVVVVVxT_98gH98AH98gH98AH98gH98AEhEiAOIAxBC_3NAUE0_csB_c4BIQ4gEiAQQQv9zQFBNP3LAf3OASES_QwAAAAAAADwPwAAAAAAAPA__QwAAAAAAADwPwAAAAAAAPA_IA798AH98wEhC_0MAAAAAAAA8D8AAAAAAADwP_0MAAAAAAAA8D8AAAAAAADwPyAS_fAB_fMBIQ8gBP0ABAAgC_3yASEOIAT9AAQQIA_98gEhEiAO_QwAAAAAAADwPwAAAAAAAPA_IAv98QH98gEhDSAS_QwAAAAAAADwPwAAAAAAAPA_IA_98QH98gEhESAJIA79IQCgIA79IQGgIBL9IQCgIBL9IQGgIQkgCiAN_SEAoCAN_SEBoCAR_SEAoCAR_SEBoCEKIARBIGoiBCAHSQ0AC0EAIAk5AwBBCCAKOQMACw";

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly sums: (count: number, dims: number, theta: number, parameters: number, w: number) => void;
}

/** Items of a turn. */
const TURN = 4;
/** Where the module's table begins, and where banks may begin. @unit bytes */
const [TABLE, FREE] = [64, 64 + 8 * EXP_STEPS.length];
/** All that banks may take. @unit bytes */
const LARGEST = 1 << 23;
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
  const banks = new Map<ItemBank, HeldBank>();
  let free = FREE;
  return (theta, bank, weights) => {
    const { count, dims, lower, upper } = bank;
    const padded = Math.ceil(count / TURN) * TURN;
    const bytes = 8 * padded * (2 + dims);
    if (lower !== null || upper !== null || FREE + bytes + 8 * dims > LARGEST) return null;
    const known = banks.get(bank);
    let held = known?.weights === weights ? known : null;
    if (held === null) {
      if (free + bytes + 8 * dims > LARGEST) {
        banks.clear();
        free = FREE;
      }
      const lacking = free + bytes + 8 * dims - memory.buffer.byteLength;
      if (lacking > 0) memory.grow(Math.ceil(lacking / PAGE));
      held = holdBank(new Float64Array(memory.buffer, free, padded * (2 + dims)), padded, bank, weights);
      banks.set(bank, held);
      free = Math.ceil((free + bytes + 8 * dims) / LINE) * LINE;
    }
    const { begin, steepest } = held;
    let reach = held.farthest;
    for (let d = 0; d < dims; d++) reach += steepest[d]! * Math.abs(theta[d]!);
    if (!(reach < REACH)) return null; // too far, or no number
    new Float64Array(memory.buffer, begin + bytes, dims).set(theta);
    sums(padded, dims, begin + bytes, begin + 8 * padded, begin);
    const [score, spread] = new Float64Array(memory.buffer, 0, 2);
    return { score: score!, spread: spread! };
  };
}

/** A bank in the module's memory: the weights of its items, their parameters, an ability. */
interface HeldBank {
  readonly weights: Float64Array;
  /** @unit bytes */
  readonly begin: number;
  /** Largest |b|, and |a| of each dimension. */
  readonly farthest: number;
  readonly steepest: Float64Array;
}

/** @param place - filled with the weights, and of four items each b and then a of each dimension; items that make the last turn whole weigh nothing */
function holdBank(
  place: Float64Array,
  padded: number,
  { count, dims, a, b }: ItemBank,
  weights: Float64Array,
): HeldBank {
  place.fill(0).set(weights);
  const steepest = new Float64Array(dims);
  let farthest = 0;
  for (let i = 0; i < count; i++) {
    const at = padded + (i - (i % TURN)) * (1 + dims) + (i % TURN);
    place[at] = b[i]!;
    farthest = Math.max(farthest, Math.abs(b[i]!));
    for (let d = 0; d < dims; d++) {
      const own = a[i * dims + d]!;
      place[at + TURN * (1 + d)] = own;
      steepest[d] = Math.max(steepest[d]!, Math.abs(own));
    }
  }
  return { weights, begin: place.byteOffset, farthest, steepest };
}
