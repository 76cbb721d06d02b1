import type { Page } from "playwright-core";
import { openBrowser } from "./open-browser.ts";
import { servePage } from "./serve-page.ts";

export interface OpenPage {
  readonly page: Page;
  close(): Promise<void>;
}

/**
 * A fresh browser on a served page, ready to be driven.
 * @param script - a file of this folder, which puts `ready` on the window
 */
export async function openPage(
  script: string,
  ready: keyof Window,
  files?: ReadonlyMap<string, Uint8Array>,
): Promise<OpenPage> {
  const served = await servePage(script, files);
  try {
    const browser = await openBrowser();
    const page = await browser.newPage();
    await page.goto(served.url);
    await page.waitForFunction((name) => name in window, ready);
    return {
      page,
      close: async () => {
        await browser.close();
        served.close();
      },
    };
  } catch (error) {
    served.close();
    throw error;
  }
}
