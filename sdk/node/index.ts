export { folderSource } from "./folder-source.ts";
