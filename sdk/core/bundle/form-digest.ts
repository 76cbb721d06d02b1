import { sha256Text } from "./digest.ts";

/**
 * Digest of a form: SHA-256 of the JSON array [[scenario, [item id, …]], …], scenarios in the manifest's order, items
 * in the order of anchors.jsonl. It names the order in which an array of answers is read.
 */
export function formDigest(scenarios: readonly (readonly [scenario: string, items: readonly string[]])[]): string {
  return sha256Text(JSON.stringify(scenarios));
}
