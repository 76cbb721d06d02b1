import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const RUNTIME = dirname(fileURLToPath(import.meta.resolve("onnxruntime-web/webgpu")));

export interface ServedPage {
  readonly url: string;
  close(): void;
}

/**
 * Serves a page with a script of this folder, bundled for browsers, ONNX Runtime's own build for them and files by their
 * paths, on this machine alone: a page from there may use WebGPU.
 * @param script - a file's name
 */
export async function servePage(
  script: string,
  files: ReadonlyMap<string, Uint8Array> = new Map(),
): Promise<ServedPage> {
  const { outputFiles } = await build({
    entryPoints: [join(HERE, script)],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2023",
  });
  const bundled = outputFiles[0]!.contents;
  const server = createServer(({ url }, response) => {
    const file = files.get(url!);
    if (file) response.writeHead(200).end(file);
    else if (/^\/[a-z.-]+\.wasm$/.test(url!)) {
      response.writeHead(200, { "content-type": "application/wasm" });
      createReadStream(join(RUNTIME, url!)).pipe(response);
    } else if (url === "/page.js") {
      response.writeHead(200, { "content-type": "text/javascript" }).end(bundled);
    } else if (url === "/") {
      response
        .writeHead(200, { "content-type": "text/html" })
        .end('<!doctype html><title>anchoreval</title><script type="module" src="/page.js"></script>');
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
