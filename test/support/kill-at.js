// node --import ./kill-at.js …: ends by SIGKILL before the KILL_AT-th call that changes something on the disk.
import fsp from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const CHANGES = ["rename", "link", "unlink", "rm", "rmdir", "mkdir", "mkdtemp", "writeFile", "open"];
let calls = 0;
for (const name of CHANGES) {
  const change = fsp[name];
  fsp[name] = (...values) => {
    if (++calls === Number(process.env.KILL_AT)) process.kill(process.pid, "SIGKILL");
    return change(...values);
  };
}
syncBuiltinESMExports();
