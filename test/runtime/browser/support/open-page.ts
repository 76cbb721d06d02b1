import type { Page } from "playwright-core";
import { openBrowser } from "./open-browser.ts";
import { servePage } from "./serve-page.ts";

export interface OpenPage {
  readonly page: Page;
  close(): Promise<void>;
}

/** A fresh browser on the served page, ready to calibrate. */
export async function openPage(): Promise<OpenPage> {
  const served = await servePage();
  try {
    const browser = await openBrowser();
    const page = await browser.newPage();
    await page.goto(served.url);
    await page.waitForFunction(() => "calibration" in window);
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
