import { AnchorEvalError, readBundleFile, type BundleSource, type Manifest } from "anchoreval";
import { blobKey, type ByteRange, type FileManifest } from "anchoreval/bundle";
import { bodyOfPieces } from "../http/body-of-pieces.ts";
import type { BundleBucket } from "./bundle-bucket.ts";
import { LARGEST_HELD } from "./content-cache.ts";
import { checkedPieces, heldPieces, piecesOf } from "./file-pieces.ts";
import type { MemoryRoom } from "./memory-room.ts";

/** Where the bytes of a file come from. */
export interface FileOrigin {
  readonly bucket: BundleBucket;
  /** Reads whole files, through what isolates share. */
  readonly source: BundleSource;
  readonly manifest: Manifest;
  /** What whole files take until they are sent. */
  readonly room: MemoryRoom;
  /** Longest wait for a piece of a body. @unit milliseconds */
  readonly deadline: number;
}

/**
 * The bytes of a file, or of a part of it. The whole file is read and checked before any of it is given: it goes out
 * under its digest and is cached for good. Where it is large, or there is no room, it is checked on its way, and a
 * damaged one breaks off. A part can't be checked, and comes as storage has it.
 * @throws AnchorEvalError `bundle_corrupt` where storage has lost the file or has another, `unavailable`
 */
export async function openFile(
  { bucket, source, manifest, room, deadline }: FileOrigin,
  file: FileManifest,
  range: ByteRange | null,
): Promise<ReadableStream> {
  const name = file.name as Parameters<BundleSource["read"]>[0];
  const part = range !== null && range.end - range.begin < file.bytes ? range : null;
  const release = part === null && file.bytes <= LARGEST_HELD ? room.take(file.bytes) : null;
  if (release) {
    const bytes = await readBundleFile(source, manifest, name).catch((error: unknown) => {
      release();
      throw error;
    });
    return bodyOfPieces(heldPieces(bytes, release), file.bytes);
  }
  const what = `${source.name}: ${name}`;
  const object = await bucket
    .get(
      blobKey(manifest.benchmark, file.sha256),
      part ? { range: { offset: part.begin, length: part.end - part.begin } } : {},
    )
    .catch((cause: unknown) => {
      throw new AnchorEvalError("unavailable", `${what} could not be read`, { cause });
    });
  if (object === null) throw new AnchorEvalError("bundle_corrupt", `${what} is missing, which the manifest names`);
  const pieces = piecesOf(object.body, deadline, what);
  return part
    ? bodyOfPieces(pieces, part.end - part.begin)
    : bodyOfPieces(checkedPieces(pieces, file, what), file.bytes);
}
