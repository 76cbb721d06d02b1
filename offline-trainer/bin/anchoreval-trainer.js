#!/usr/bin/env node
// The program is one: this is another name of `anchoreval`.
import { main } from "anchoreval/internal/program/main";

// A reader that has seen enough (… | head) is no error.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await main(process.argv.slice(2));
