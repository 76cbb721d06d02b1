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
 * Serves the page with the trainer's built `./calibrate` and ONNX Runtime's own build for browsers, on this machine
 * alone: a page from there may use WebGPU.
 */
export async function servePage(): Promise<ServedPage> {
  const { outputFiles } = await build({
    entryPoints: [join(HERE, "page.ts")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2023",
  });
  const script = outputFiles[0]!.contents;
  const server = createServer(({ url }, response) => {
    if (/^\/[a-z.-]+\.wasm$/.test(url!)) {
      response.writeHead(200, { "content-type": "application/wasm" });
      createReadStream(join(RUNTIME, url!)).pipe(response);
    } else if (url === "/page.js") {
      response.writeHead(200, { "content-type": "text/javascript" }).end(script);
    } else if (url === "/") {
      response
        .writeHead(200, { "content-type": "text/html" })
        .end('<!doctype html><title>calibration</title><script type="module" src="/page.js"></script>');
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
