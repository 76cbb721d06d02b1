import { existsSync } from "node:fs";

/** Where Debian's Chromium keeps its Vulkan loader and SwiftShader, a device in software. */
const CHROMIUM = "/usr/lib/chromium";

/**
 * Environment in which a process finds Chromium's software device for Vulkan, which Node's WebGPU computes on; empty
 * where Chromium isn't there, or VK_ICD_FILENAMES names another device. It must be there when the process starts.
 */
export function softwareVulkan(): Record<string, string> {
  const device = `${CHROMIUM}/vk_swiftshader_icd.json`;
  if (process.env["VK_ICD_FILENAMES"] !== undefined || !existsSync(device)) return {};
  return { LD_LIBRARY_PATH: CHROMIUM, VK_ICD_FILENAMES: device };
}
