#!/usr/bin/env node
import { main } from "../dist/program/main.js";

// A reader that has seen enough (… | head) is no error.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await main(process.argv.slice(2));
