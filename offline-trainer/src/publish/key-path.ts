/** A key as the path of an address. @example keyPath("bundles/a b/index.json") // "bundles/a%20b/index.json" */
export function keyPath(key: string): string {
  return key.split("/").map(encodeURIComponent).join("/");
}
