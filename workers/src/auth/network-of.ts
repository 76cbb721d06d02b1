/**
 * What is counted as one caller of no token: an IPv4 address, or the /64 network that one IPv6 line has to itself.
 * @example networkOf("2001:db8::7") // "2001:db8:0:0::/64"
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = address.split("::");
  const first = groupsOf(head);
  const last = groupsOf(tail ?? "");
  const zeros = new Array<string>(Math.max(0, 8 - first.length - last.length)).fill("0");
  const groups = tail === undefined ? first : [...first, ...zeros, ...last];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16).toString(16));
}
