// node --import ./kill-at.js …: the process ends by SIGKILL right before the KILL_AT-th call that changes something on a disk,
// or stands still there (STOP_AT). KILL_COUNT=FILE: writes how many there were, where it came to its end.
import fs from "node:fs";
import fsp from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { fileURLToPath } from "node:url";

const { KILL_AT, STOP_AT, KILL_COUNT } = process.env;
let calls = 0;

/** @param isChange - whether a call with these arguments changes something */
function count(object, names, isChange = () => true) {
  for (const name of names) {
    const call = object[name];
    object[name] = function (...values) {
      if (isChange(...values)) {
        calls++;
        if (calls === Number(KILL_AT)) process.kill(process.pid, "SIGKILL");
        if (calls === Number(STOP_AT)) process.kill(process.pid, "SIGSTOP");
      }
      return call.apply(this, values);
    };
  }
}

const writes = (_path, flags) => typeof flags === "string" && flags !== "r";
const handle = await fsp.open(fileURLToPath(import.meta.url));
count(Object.getPrototypeOf(handle), ["appendFile", "sync", "truncate", "write", "writeFile"]);
await handle.close();
const CHANGES = ["appendFile", "copyFile", "link", "mkdir", "mkdtemp", "rename", "rm", "rmdir", "symlink", "truncate", "unlink", "writeFile"]; // prettier-ignore
count(fsp, CHANGES);
count(fsp, ["open"], writes);
count(fs, [...CHANGES.map((name) => `${name}Sync`), "write", "writeSync"]);
count(fs, ["open", "openSync"], writes);
syncBuiltinESMExports();
if (KILL_COUNT !== undefined) {
  const write = fs.writeFileSync;
  process.on("exit", () => write(KILL_COUNT, String(calls)));
}
