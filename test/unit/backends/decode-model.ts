import onnxProto from "onnx-proto";

interface Value {
  readonly name: string;
  readonly type: {
    readonly tensorType: { readonly elemType: number; readonly shape: { readonly dim: { dimValue: number }[] } };
  };
}

/** What a model holds, its 64-bit integers as numbers. */
export interface Model {
  readonly irVersion: number;
  readonly opsetImport: readonly { readonly domain: string; readonly version: number }[];
  readonly graph: {
    readonly name: string;
    readonly node: readonly {
      readonly opType: string;
      readonly input: string[];
      readonly output: string[];
      readonly attribute: readonly {
        readonly name: string;
        readonly type: number;
        readonly i: number;
        readonly ints: number[];
      }[];
    }[];
    readonly initializer: readonly {
      readonly name: string;
      readonly dataType: number;
      readonly dims: number[];
      readonly rawData: Uint8Array;
    }[];
    readonly input: readonly Value[];
    readonly output: readonly Value[];
  };
}

export const decodeModel = (bytes: Uint8Array): Model =>
  onnxProto.onnx.ModelProto.toObject(onnxProto.onnx.ModelProto.decode(bytes), {
    longs: Number,
    arrays: true,
  }) as unknown as Model;
