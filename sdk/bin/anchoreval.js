#!/usr/bin/env node
import { program } from "../dist/program/main.js";

process.exitCode = await program(process.argv.slice(2));
