// The order of all folders, and what goes against it: plain JavaScript, which Node runs without a build.

/** The packages' sources. */
export const PACKAGES = ["sdk", "cli/src", "workers/src", "workers/page", "offline-trainer/src", "features"];

/** Floors of a feature, the lowest first, each with the package that it is a part of. */
export const FLOORS = { core: "sdk", sdk: "sdk", node: "sdk", fit: "offline-trainer", cli: "cli", http: "workers" };

/**
 * The package that a source file is a part of: of a feature's, by its floor; of the lists of features (features/cli-fit.ts),
 * by their names.
 * @param {string} file
 * @returns {string}
 */
export function packageOf(file) {
  const [, floor] = /^features\/(?:[^/]+\/)?(core|sdk|node|fit|cli|http)[/.-]/.exec(file) ?? [];
  return floor === undefined
    ? /** @type {string} */ (file.split("/")[0])
    : FLOORS[/** @type {keyof typeof FLOORS} */ (floor)];
}

/**
 * The source file behind an import: of a path, or of a name inside one of the packages.
 * @param {import("./source-imports.js").SourceImport} entry
 * @returns {string | null} null for another package
 */
export function sourceOf({ specifier, target }) {
  const [, trainer, path] = /^anchoreval(-trainer)?\/internal\/(.+)$/.exec(specifier) ?? [];
  if (target !== null || path === undefined) return target;
  const folder = path.startsWith("features/") ? "" : trainer === undefined ? "sdk/" : "offline-trainer/src/";
  return `${folder}${path}.ts`;
}

/**
 * The feature whose folder a file lies in.
 * @param {string} file
 * @returns {string | null}
 */
export function featureOf(file) {
  return /^features\/([^/]+)\//.exec(file)?.[1] ?? null;
}

/**
 * Every folder beside those of its parent, the lowest first: it imports only what stands before it, or what is listed for
 * it. `.` is a package's files in no folder, its doors.
 * @type {Readonly<Record<string, readonly string[] | Readonly<Record<string, readonly string[]>>>>}
 */
export const LAYERS = {
  sdk: ["core", "bundles", "tables", "estimate", "words", "logs", ".", "node", "bin"],
  "sdk/core": {
    numeric: [],
    irt: ["numeric"],
    ability: ["numeric", "irt"],
    estimators: ["numeric", "irt", "ability"],
    "person-fit": ["numeric", "irt", "ability", "estimators"],
    inference: ["numeric", "irt", "ability", "estimators"],
    bundle: ["numeric", "irt", "ability", "estimators", "person-fit"],
    scoring: ["numeric", "irt", "ability", "estimators", "person-fit", "inference"],
  },
  "sdk/node": ["logs"],
  "sdk/logs": ["inspect", "lm-eval"],
  "cli/src": [...["program", "bundles", "options", "commands"], ...["run", "."]],
  "workers/src": ["platform", "auth", "bundles", "http", "schemas", "routes", "."],
  "workers/page": ["parts", "views", "."],
  "offline-trainer/src": [
    ...["numeric", "matrix", "calibrate", "anchors", "threads", "backends", "methods", "fit"],
    ".",
  ],
  features: [
    "browser-fit",
    "borders",
    "rounds",
    "marginal",
    "full-scores",
    "unasked",
    "charts",
    "report",
    "client",
    "versions",
    "plan",
    "judge",
    "prices",
    "subscores",
    "known-scores",
    "records",
    "backtest",
    "trials",
    "compare",
    "adaptive",
    "gates",
    "routing",
    "forms",
    "audit",
    "trust",
    "serve",
    "publishing",
    ...["helm", "lighteval", "eee", "opencompass", "swe-bench", "terminal-bench", "livecodebench", "evalplus", "bfcl"],
    ...["eval-arena", "measurement-db"],
    "import",
    "recipes",
    "reproduce",
    "jobs",
    "simulate",
    "demo",
    ".",
  ],
  "offline-trainer/src/matrix": ["alike", "readers"],
  "offline-trainer/src/backends": ["onnx", "node"],
  "offline-trainer/src/methods": ["score-maps", "essence", "kmeans", "metabench", "sublime"],
};

/** @typedef {Pick<import("./source-imports.js").SourceImport, "from" | "target">} Edge */

/**
 * The folder of a parent that a file lies in, or the file itself where it lies in none; `.` for all such files of a package.
 * @param {string} file
 * @param {string} parent
 * @returns {string | null} null for a file that lies elsewhere
 */
function childOf(file, parent) {
  if (!file.startsWith(`${parent}/`) || file.includes("/dist/")) return null;
  const [child, ...rest] = /** @type {[string, ...string[]]} */ (file.slice(parent.length + 1).split("/"));
  return rest.length === 0 && PACKAGES.includes(parent) ? "." : child;
}

/**
 * The folders of some files with those that they lie in, up to their package.
 * @param {readonly string[]} files
 * @returns {{ readonly parent: string, readonly folder: string }[]}
 */
export function foldersOf(files) {
  const folders = new Set();
  for (const file of files) {
    const root = PACKAGES.find((path) => file.startsWith(`${path}/`));
    if (root === undefined) continue;
    const parts = file
      .slice(root.length + 1)
      .split("/")
      .slice(0, -1);
    parts.forEach((_, k) => folders.add([root, ...parts.slice(0, k + 1)].join("/")));
  }
  return [...folders].sort().map((path) => {
    const cut = path.lastIndexOf("/");
    return { parent: path.slice(0, cut), folder: path.slice(cut + 1) };
  });
}

/**
 * Why an import goes up, against {@link LAYERS}, or to the side.
 * @param {Edge} edge
 * @returns {string | null}
 */
export function againstLayers({ from, target }) {
  if (target === null) return null;
  for (const [parent, order] of Object.entries(LAYERS)) {
    const [child, other] = [childOf(from, parent), childOf(target, parent)];
    if (child === null || other === null || child === other) continue;
    const allowed = Array.isArray(order) ? order.slice(0, Math.max(0, order.indexOf(child))) : order[child];
    const names = Array.isArray(order) ? order : Object.keys(order);
    if (!names.includes(child) || !names.includes(other) || allowed.includes(other)) continue;
    return `${child === "." ? parent : `${parent}/${child}`} may not import ${parent}/${other}`;
  }
  return null;
}

/**
 * The folders that import themselves over others, types counting as well: at every level those that lie side by side, a file
 * among them standing for itself, and a package's files in no folder for one.
 * @param {readonly Edge[]} edges
 * @returns {string[][]} one list a circle, each entry with its path
 * @example folderCircles(sourceFiles("sdk").flatMap((file) => importsOf(file))) // []
 */
export function folderCircles(edges) {
  const parents = new Set(PACKAGES);
  for (const { parent, folder } of foldersOf(edges.map(({ from }) => from))) parents.add(`${parent}/${folder}`);
  return [...parents].sort().flatMap((parent) => {
    /** @type {Map<string, Set<string>>} */
    const next = new Map();
    for (const { from, target } of edges) {
      const [child, other] = [childOf(from, parent), target === null ? null : childOf(target, parent)];
      if (child !== null && other !== null && child !== other)
        next.set(child, (next.get(child) ?? new Set()).add(other));
    }
    /** @type {Map<string, Set<string>>} */
    const reached = new Map();
    for (const start of next.keys()) {
      const all = new Set();
      const open = [start];
      for (let at = open.pop(); at !== undefined; at = open.pop())
        for (const other of next.get(at) ?? []) if (!all.has(other)) (open.push(other), all.add(other));
      reached.set(start, all);
    }
    const circles = [...reached.keys()]
      .filter((child) => reached.get(child).has(child))
      .map((child) =>
        [...reached.keys()].filter((other) => reached.get(child).has(other) && reached.get(other).has(child)),
      );
    return circles
      .filter(([first], k) => circles.findIndex(([other]) => other === first) === k)
      .map((circle) => circle.map((child) => (child === "." ? parent : `${parent}/${child}`)).sort());
  });
}
