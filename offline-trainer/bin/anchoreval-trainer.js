#!/usr/bin/env node
// The program is one: this is another name of `anchoreval`.
import { program } from "anchoreval/internal/program/main";

process.exitCode = await program(process.argv.slice(2));
