import type { Command } from "anchoreval/cli";
export const demoCommand: Command = { name: "demo", summary: "", options: {}, run: () => Promise.resolve(0) };
