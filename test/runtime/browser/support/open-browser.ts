import { accessSync, constants } from "node:fs";
import { chromium, type Browser } from "playwright-core";

/** Chromium of the system: Debian's package puts it there. Another one is named by CHROMIUM. */
const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Why there is no browser here; null where there is. */
export const NO_BROWSER = ((): string | null => {
  try {
    accessSync(EXECUTABLE, constants.X_OK);
    return null;
  } catch {
    return `no Chromium at ${EXECUTABLE}: apt-get install chromium, or name one by CHROMIUM`;
  }
})();

/** Headless Chromium that talks to nobody, with WebGPU by SwiftShader, its software renderer. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--enable-unsafe-webgpu",
      "--use-webgpu-adapter=swiftshader",
    ],
  });
}
