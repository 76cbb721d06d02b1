import type { Bundle } from "anchoreval";
import { formTotals } from "anchoreval/internal/charts/measured-forms";
import { blobChunks } from "anchoreval/internal/tables/chunk-lines";
import { type Answers, parseAnswers } from "anchoreval/internal/tables/parse-answers";
import { counted } from "anchoreval/internal/words/figures";
import { type Child, element, fill, freshId, paragraph, code } from "../dom.ts";
import { problem } from "./problem.ts";

interface DropZoneOptions {
  readonly label: string;
  readonly hint: Child;
  /** A whole folder may be chosen. */
  readonly folder?: boolean;
  readonly multiple?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

/** A field for files, which are chosen with its button or dropped on it. */
export function dropZone({ label, hint, folder = false, multiple = false, onFiles }: DropZoneOptions): HTMLElement {
  const id = freshId("files");
  const input = element("input", {
    id,
    type: "file",
    multiple: multiple || folder,
    webkitdirectory: folder,
    "aria-describedby": `${id}-hint`,
    onclick: () => (input.value = ""), // the same file may be chosen again
    onchange: () => {
      if (input.files && input.files.length > 0) onFiles([...input.files]);
    },
  });
  const zone = element(
    "div",
    {
      class: "drop",
      ondragover: (event) => {
        event.preventDefault();
        zone.classList.add("over");
      },
      ondragleave: () => zone.classList.remove("over"),
      ondrop: (event) => {
        event.preventDefault();
        zone.classList.remove("over");
        const { dataTransfer } = event as DragEvent;
        if (!folder && dataTransfer) input.files = dataTransfer.files; // so that it shows their names
        void droppedFiles(dataTransfer).then((files) => {
          if (files.length > 0) onFiles(files);
        });
      },
    },
    element("label", { for: id }, label),
    input,
    element("p", { id: `${id}-hint`, class: "hint" }, hint),
  );
  return zone;
}

/** The dropped files, including those in folders. */
async function droppedFiles(transfer: DataTransfer | null): Promise<File[]> {
  if (transfer === null) return [];
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const plain = [...transfer.files];
  if (!entries.some((entry) => entry.isDirectory)) return plain;
  return (await Promise.all(entries.map(filesUnder))).flat();
}

async function filesUnder(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile)
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: File[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    for (const child of some) found.push(...(await filesUnder(child)));
  }
}

interface FormSelect {
  readonly content: HTMLElement;
  /** The chosen form; null to infer it from the answers. */
  readonly value: () => string | null;
}

/** A field for the form that was asked: chosen, or inferred from the answers. */
export function formSelect(
  { manifest }: Bundle,
  chosen: string | null,
  options: { infer: boolean; onChange?: () => void },
): FormSelect {
  const id = freshId("form");
  const select = element(
    "select",
    { id, ...(options.onChange && { onchange: options.onChange }) },
    options.infer ? element("option", { value: "" }, "inferred from the answers") : null,
    manifest.forms.map((form) =>
      element(
        "option",
        { value: form.id, selected: form.id === (chosen ?? (options.infer ? "" : manifest.defaultForm)) },
        `${form.id} (${counted(formTotals(form).items, "item")})`,
      ),
    ),
  );
  return {
    content: element(
      "div",
      { class: "field" },
      element("label", { for: id }, "Form (the items that were asked)"),
      select,
    ),
    value: () => (select.value === "" ? null : select.value),
  };
}

/** One model's answers. */
export interface GivenAnswers extends Answers {
  /** The model's name: the file's, or the field's. */
  readonly name: string;
}

interface AnswersInput {
  readonly content: HTMLElement;
  /** The answers in the field; null if there are none, or if they can't be read, which the field shows. */
  read(): Promise<GivenAnswers | null>;
  /** Puts answers into the field, as JSON. */
  write(answers: ReadonlyMap<string, number>, name: string): void;
}

/**
 * A field for one model's answers, as a file or pasted text, in the formats of `anchoreval estimate --responses`.
 * @param onChange - called when a file is chosen
 */
export function answersInput(title: string, onChange: () => void): AnswersInput {
  const id = freshId("answers");
  const state = element("div", { class: "state", "aria-live": "polite" });
  const text = element("textarea", {
    id,
    rows: 5,
    spellcheck: "false",
    autocomplete: "off",
    placeholder: '{"item id": 1, "another": 0, …}',
    "aria-describedby": `${id}-hint`,
    oninput: () => {
      file = null;
      name = title;
      fill(state);
    },
  });
  let file: File | null = null;
  let name = title;
  const read = async (): Promise<GivenAnswers | null> => {
    const blob = file ?? (text.value.trim() === "" ? null : new Blob([text.value]));
    if (blob === null) return null;
    try {
      const called = file?.name ?? "the text";
      const { answers, hashes } = await parseAnswers(called, blobChunks(called, blob), { scoreRange: [0, 1] });
      fill(state, paragraph("hint", `${counted(answers.size, "answer")} read from ${called}.`));
      return { answers, hashes, name };
    } catch (error) {
      fill(state, problem(error));
      return null;
    }
  };
  const content = element(
    "fieldset",
    { class: "answers" },
    element("legend", {}, title),
    dropZone({
      label: "Drop a file of answers, or choose one",
      hint: "JSON, JSON lines or CSV; .gz too",
      onFiles: ([chosen]) => {
        file = chosen!;
        name = chosen!.name.replace(/\.gz$/i, "").replace(/\.(csv|jsonl?|ndjson)$/i, "");
        text.value = "";
        onChange();
      },
    }),
    element("label", { for: id }, "or paste them"),
    text,
    element(
      "p",
      { id: `${id}-hint`, class: "hint" },
      "Item ids with scores from 0 to 1: ",
      code('{"gsm/17": 1, …}'),
      ", lines of ",
      code('{"item_id": …, "score": …}'),
      ", or a table with the columns ",
      code("item_id,score"),
      ". Missing answers are null or an empty cell.",
    ),
    state,
  );
  return {
    content,
    read,
    write: (answers, own) => {
      file = null;
      name = own;
      text.value = JSON.stringify(Object.fromEntries(answers), null, 1);
      fill(state);
    },
  };
}
