/** The few web globals that core may use: present in browsers, Node, workerd, Deno and Bun. */
interface AbortSignal {
  readonly aborted: boolean;
}
declare class TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>;
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: ArrayBuffer | ArrayBufferView): string;
}
