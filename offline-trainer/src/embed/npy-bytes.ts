import type { TextVectors } from "../extensions/routing/encode-texts.ts";

/** A header ends at a multiple of this. */
const ALIGNMENT = 64;

/**
 * Vectors as numpy.load reads them: float32, little-endian, C order.
 * @see NEP 1 (numpy's file format, version 1.0)
 */
export function npyBytes({ count, width, values }: TextVectors): Uint8Array {
  const description = `{'descr': '<f4', 'fortran_order': False, 'shape': (${count}, ${width}), }`;
  const size = Math.ceil((10 + description.length + 1) / ALIGNMENT) * ALIGNMENT;
  const bytes = new Uint8Array(size + 4 * values.length);
  const view = new DataView(bytes.buffer);
  const header = `${description.padEnd(size - 11)}\n`;
  bytes.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0]);
  view.setUint16(8, header.length, true);
  bytes.set(new TextEncoder().encode(header), 10);
  values.forEach((value, k) => view.setFloat32(size + 4 * k, value, true));
  return bytes;
}
