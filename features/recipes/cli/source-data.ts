import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { otherThanPinned, type Pinned } from "anchoreval-trainer/internal/features/recipes/fit/pinned-board";
import { pinsAll, type Recipe } from "anchoreval-trainer/internal/features/recipes/fit/recipes";
import type { ResponseMatrix } from "anchoreval-trainer/internal/matrix/response-matrix";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { quote } from "../../../cli/src/bundles/form-anchors.ts";
import { fileDate } from "../../../cli/src/options/data.ts";

/** The data of a recipe in a clone of its repository. */
export interface SourceData {
  readonly folder: string;
  /** The file or folder that is read. */
  readonly place: string;
  /** The commit that is checked out, and its date; null where the folder is no clone. */
  readonly commit: { readonly id: string; readonly date: string } | null;
  /** That which is read isn't as the commit has it. */
  readonly isChanged: boolean;
}

/**
 * Finds a recipe's data in a folder.
 * @throws AnchorEvalError `not_found` where they aren't there, with the commands that fetch them
 */
export async function findData(recipe: Recipe, folder: string | undefined): Promise<SourceData> {
  const { repository, commit, path } = recipe;
  const refuse = (why: string, commands: string): AnchorEvalError =>
    new AnchorEvalError("not_found", `${why}:\n${commands}\nthen call this again`);
  const clone = basename(repository);
  if (folder === undefined) throw refuse(`name a clone of ${repository}, made by`, cloneLines(recipe, clone));
  if (!existsSync(folder)) throw refuse(`there is no folder ${folder}; make it by`, cloneLines(recipe, folder));
  const there = await checkedOut(folder, path);
  if (existsSync(join(folder, path))) return { folder, place: join(folder, path), ...there };
  const lacks = `${folder} has no ${path} of ${repository}`;
  if (there.commit === null) throw refuse(`${lacks}; make a clone by`, cloneLines(recipe, clone));
  const checkout = `checkout --ignore-skip-worktree-bits ${commit} -- ${quote(path)}`; // a sparse clone for another recipe
  throw refuse(`${lacks}; where it is a clone of that, by`, `  git -C ${quote(folder)} ${checkout}`);
}

/** The commands that fetch what a recipe reads, and nothing else of a repository that may be large. */
function cloneLines({ repository, commit, path }: Recipe, folder: string): string {
  const clone = quote(folder);
  return [
    `  git clone --filter=blob:none --no-checkout ${repository} ${clone}`,
    `  git -C ${clone} sparse-checkout set --no-cone ${quote(`/${path}`)}`,
    `  git -C ${clone} checkout ${commit}`,
  ].join("\n");
}

/** In what data are others than the recipe's: a few words each; none where they are its own. */
export function otherData(
  recipe: Recipe,
  { matrix, digests }: { readonly matrix: ResponseMatrix; readonly digests: Required<Pinned> },
  { commit, isChanged }: SourceData,
): string[] {
  const other = otherThanPinned(recipe.pinned, matrix, digests);
  if (other.length === 0 && pinsAll(recipe)) return []; // known by themselves, whatever commit they are of
  const isSame = commit?.id.startsWith(recipe.commit) === true;
  if (commit === null) return [...other, "nothing says their commit, as it is no git clone"];
  return [
    ...other,
    ...(isSame ? [] : [`commit ${short(commit.id)}`]),
    ...(isChanged ? ["changed since their commit"] : []),
  ];
}

/** @throws AnchorEvalError `digest_mismatch` */
export function refuseOther(name: string, recipe: Recipe, { folder }: SourceData, other: readonly string[]): never {
  throw new AnchorEvalError(
    "digest_mismatch",
    `${folder} has other data than the recipe ${name}: ${other.join("; ")}. The recipe's come by\n${cloneLines(recipe, `${basename(recipe.repository)}-${short(recipe.commit)}`)}\nand --newer X.Y.Z makes a bundle of that version from these`,
  );
}

/** A bundle's words on where its data come from. */
export function sourceWords(recipe: Recipe, { commit }: SourceData, other: readonly string[]): string {
  const repository = recipe.repository.replace("https://", "");
  if (other.length === 0) return `${repository} at ${short(recipe.commit)} (${recipe.date}), ${recipe.path}`;
  const at = commit === null ? "" : ` at ${short(commit.id)}`;
  return `${repository}${at}, ${recipe.path}; other data than those of the recipe, ${short(recipe.commit)}: ${other.join("; ")}`;
}

/** The date of data that aren't the recipe's: of their commit, else of the file. */
export async function dateOf({ commit, place }: SourceData): Promise<string> {
  return commit?.date ?? (await fileDate(place));
}

function short(commit: string): string {
  return commit.slice(0, 7);
}

async function checkedOut(folder: string, path: string): Promise<Pick<SourceData, "commit" | "isChanged">> {
  const prefix = await git(folder, "rev-parse", "--show-prefix"); // not empty: a folder of another repository
  const [id, date] = (prefix === "" ? await git(folder, "log", "-1", "--format=%H%n%cI") : null)?.split("\n") ?? [];
  if (id === undefined || date === undefined) return { commit: null, isChanged: false };
  return { commit: { id, date }, isChanged: (await git(folder, "status", "--porcelain", "--", path)) !== "" };
}

/** The words of git; null where it has none. Nothing that a folder's settings name is run. */
async function git(folder: string, ...words: string[]): Promise<string | null> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
  const run = promisify(execFile)("git", ["-C", folder, "-c", "core.fsmonitor=false", ...words], { env });
  return run.then(({ stdout }) => stdout.trim()).catch(() => null);
}
