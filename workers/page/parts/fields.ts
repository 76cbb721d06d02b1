import type { Bundle } from "anchoreval";
import { formTotals } from "anchoreval/internal/words/measured-forms";
import { blobChunks } from "anchoreval/internal/tables/chunk-lines";
import { type Answers, parseAnswers } from "anchoreval/internal/tables/parse-answers";
import { counted } from "anchoreval/internal/words/figures";
import { announcer, button, type Child, element, fill, labelled, prose, submitting } from "./dom.ts";
import { exampleAnswers, freshSeed } from "./examples.ts";
import type { BundlePage } from "./session.ts";
import { problem } from "./problem.ts";

interface DropZoneOptions {
  readonly label: string;
  readonly hint: Child;
  readonly folder?: boolean;
  readonly onFiles: (files: readonly [File, ...File[]]) => void;
}

export function dropZone({ label, hint, folder = false, onFiles }: DropZoneOptions): HTMLElement {
  const give = ([first, ...others]: readonly File[]): void => {
    if (first) onFiles([first, ...others]);
  };
  const input = element("input", {
    type: "file",
    multiple: folder,
    webkitdirectory: folder,
    onclick: () => (input.value = ""), // the same file may be chosen again
    onchange: () => give([...(input.files ?? [])]),
  });
  const zone = element("div.drop", labelled(label, input, hint));
  zone.ondragover = (event) => {
    event.preventDefault();
    zone.classList.add("over");
  };
  zone.ondragleave = () => zone.classList.remove("over");
  zone.ondrop = (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    const { dataTransfer } = event;
    if (dataTransfer === null) return;
    if (!folder) input.files = dataTransfer.files; // so that it shows their names
    void droppedFiles(dataTransfer).then(give);
  };
  return zone;
}

async function droppedFiles({ items, files }: DataTransfer): Promise<File[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const plain = [...files];
  if (!entries.some((entry) => entry.isDirectory)) return plain;
  return (await Promise.all(entries.map(filesUnder))).flat();
}

async function filesUnder(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile)
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return files;
    for (const child of some) files.push(...(await filesUnder(child)));
  }
}

/**
 * A field for the form that was asked.
 * @param chosen - null for the default form, or none if there is an `empty` option
 */
export function formSelect(
  { manifest }: Bundle,
  chosen: string | null,
  onchange: () => void,
  empty?: string,
): { readonly content: HTMLElement; readonly select: HTMLSelectElement } {
  const first = chosen ?? (empty === undefined ? manifest.defaultForm : "");
  const select = element("select", { onchange }, [
    empty === undefined ? null : element("option", { value: "" }, empty),
    manifest.forms.map((form) => {
      const items = counted(formTotals(form).items, "item");
      return element("option", { value: form.id, selected: form.id === first }, `${form.id} (${items})`);
    }),
  ]);
  return { content: element("div.field", labelled("Form (the items that were asked)", select)), select };
}

export interface GivenAnswers extends Omit<Answers, "trials"> {
  /** The model's name: the file's; of pasted text the asked model's. */
  readonly name: string;
}

interface AnswersInput {
  readonly content: HTMLElement;
  /** The answers in the field; null if there are none, or if they can't be read, which the field shows. */
  read(): Promise<GivenAnswers | null>;
  write(answers: ReadonlyMap<string, number>, name: string): void;
}

/**
 * A field for one model's answers, as a file or pasted text, in the formats of `anchoreval estimate --responses`.
 * @param onChange - called when a file is chosen
 */
function answersInput({ title, name: unnamed }: AskedModel, onChange: () => void): AnswersInput {
  const state = element("div.state", { "aria-live": "polite" });
  let file: File | null = null;
  let name = unnamed;
  const set = (newName: string, newFile: File | null = null): void => {
    file = newFile;
    name = newName;
  };
  const text = element("textarea", {
    rows: 5,
    spellcheck: "false",
    autocomplete: "off",
    placeholder: '{"item id": 1, "another": 0, …}',
    oninput: () => {
      set(unnamed);
      fill(state);
    },
  });
  const read = async (): Promise<GivenAnswers | null> => {
    const blob = file ?? (text.value.trim() === "" ? null : new Blob([text.value]));
    if (blob === null) return null;
    try {
      const called = file?.name ?? "the text";
      const { answers, hashes } = await parseAnswers(called, blobChunks(called, blob), { scoreRange: [0, 1] });
      fill(state, element("p.hint", `${counted(answers.size, "answer")} read from ${called}.`));
      return { answers, hashes, name };
    } catch (error) {
      fill(state, problem(error));
      return null;
    }
  };
  const content = element("fieldset.answers", [
    element("legend", title),
    dropZone({
      label: "Drop a file of answers, or choose one",
      hint: "JSON, JSON lines or CSV; .gz too",
      onFiles: ([chosen]) => {
        set(chosen.name.replace(/\.gz$/i, "").replace(/\.(csv|jsonl?|ndjson)$/i, ""), chosen);
        text.value = "";
        onChange();
      },
    }),
    labelled(
      "or paste them",
      text,
      prose(
        'Item ids with scores from 0 to 1: `{"gsm/17": 1, …}`, lines of `{"item_id": …, "score": …}`, or a table with the columns `item_id,score`. Missing answers are null or an empty cell.',
      ),
    ),
    state,
  ]);
  const write = (answers: ReadonlyMap<string, number>, source: string): void => {
    set(source);
    text.value = JSON.stringify(Object.fromEntries(answers), null, 1);
    fill(state);
  };
  return { content, read, write };
}

interface AskedModel {
  readonly title: string;
  /** Of a model whose answers are pasted. */
  readonly name: string;
  /** Name and strength of the model whose answers are made up: see {@link exampleAnswers}. */
  readonly example: readonly [name: string, strength: number];
}

interface AnswersForm {
  readonly models: readonly AskedModel[];
  readonly more?: Child;
  readonly action: string;
  /** The results of the models' answers, and a sentence of them for screen readers. */
  readonly evaluate: (answers: readonly GivenAnswers[], form: { form?: string }) => readonly [Child, string];
}

export function answersForm({ bundle, route }: BundlePage, { models, more = null, action, evaluate }: AnswersForm) {
  const results = element("div.results");
  const heard = announcer();
  const run = async (): Promise<void> => {
    const answers = await Promise.all(inputs.map((input) => input.read()));
    if (answers.includes(null)) {
      fill(results);
      return;
    }
    try {
      const [content, words] = evaluate(answers as GivenAnswers[], form.value === "" ? {} : { form: form.value });
      fill(results, content);
      heard.say(words);
    } catch (error) {
      fill(results, problem(error));
    }
  };
  const rerun = (): void => void run();
  const { content, select: form } = formSelect(bundle, route.form, rerun, "inferred from the answers");
  const inputs = models.map((model) => answersInput(model, rerun));
  const tryExample = (): void => {
    const asked = form.value || bundle.manifest.defaultForm;
    for (const [k, { example }] of models.entries())
      inputs[k]!.write(exampleAnswers(bundle, asked, freshSeed(), example[1]), example[0]);
    rerun();
  };
  const fields = inputs.map((input) => input.content);
  return [
    element("form", { onsubmit: submitting(rerun) }, [
      fields.length > 1 ? element("div.pair", fields) : fields,
      content,
      more,
      element("p.actions", [
        element("button", { type: "submit" }, action),
        button("quiet", "Try with made-up answers", tryExample),
      ]),
    ]),
    heard.content,
    results,
  ];
}
