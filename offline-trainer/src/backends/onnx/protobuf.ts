/** Writes protocol-buffer messages: varints, length-delimited fields and floats, as far as ONNX needs them. */
export class MessageWriter {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** An integer field (wire type 0). */
  integer(field: number, value: number): this {
    return this.#push(varint(field * 8)).#push(varint(value));
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  /** A length-delimited field (wire type 2). */
  bytes(field: number, value: Uint8Array): this {
    return this.#push(varint(field * 8 + 2))
      .#push(varint(value.length))
      .#push(value);
  }

  message(field: number, value: MessageWriter): this {
    return this.bytes(field, value.finish());
  }

  finish(): Uint8Array {
    const out = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }

  #push(part: Uint8Array): this {
    this.#parts.push(part);
    this.#length += part.length;
    return this;
  }
}

/** A non-negative integer below 2⁵³ in base 128, low groups first. */
function varint(value: number): Uint8Array {
  const out: number[] = [];
  let rest = value;
  while (rest >= 128) {
    out.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  out.push(rest);
  return Uint8Array.from(out);
}
