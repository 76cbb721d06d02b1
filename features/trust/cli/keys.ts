import { commandOfActions } from "../../../cli/src/program/actions.ts";
import { changeRoot } from "./root.ts";
import { makeKey, signPlace } from "./sign.ts";
import { makeToken } from "./token.ts";

/** Who may sign, publish and read. */
export const keysCommand = commandOfActions({ make: makeKey, sign: signPlace, root: changeRoot, token: makeToken }, [
  "keys make --out bundles.pem",
  "keys sign bundles/quiz --key bundles.pem",
]);
