/**
 * Remarks on several logs, tasks or models, what is said of several of them once.
 * @param found - of each, its remarks; one that begins with its name and a colon is told without it
 * @example groupedRemarks([{ who: "a", remarks: ["a: cut"] }, { who: "b", remarks: ["b: cut"] }]) // ["a and 1 more: cut"]
 */
export function groupedRemarks(
  found: readonly { readonly who: string; readonly remarks: readonly string[] }[],
): string[] {
  const named = new Map<string, Set<string>>();
  for (const { who, remarks } of found)
    for (const remark of remarks) {
      const words = remark.startsWith(`${who}: `) ? remark.slice(who.length + 2) : remark;
      named.set(words, (named.get(words) ?? new Set()).add(who));
    }
  return [...named].map(([words, all]) => {
    const [first] = all;
    return `${first!}${all.size > 1 ? ` and ${all.size - 1} more` : ""}: ${words}`;
  });
}
