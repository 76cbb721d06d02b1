import { blobChunks, parseAnswers, type Answers } from "anchoreval/tables";
import { counted } from "anchoreval/words";
import { element, fill, freshId } from "../dom.ts";
import { dropZone } from "./drop-zone.ts";
import { problem } from "./problem.ts";

/** One model's answers, as they were given. */
export interface GivenAnswers extends Answers {
  /** What the model is called: the file's name, or the field's. */
  readonly name: string;
}

export interface AnswersInput {
  readonly content: HTMLElement;
  /** The answers that the field holds now; null where it holds none, or what can't be read, which it shows. */
  read(): Promise<GivenAnswers | null>;
  /** Puts answers into the field, as JSON. */
  write(answers: ReadonlyMap<string, number>, name: string): void;
}

/**
 * A field for one model's answers: a file that is dropped or chosen, or text that is pasted. The formats are those of
 * `anchoreval estimate --responses`, read by the same code.
 * @param onChange - called when a file was read
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
      fill(state, element("p", { class: "hint" }, `${counted(answers.size, "answer")} read from ${called}.`));
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
      "An item’s id and its score from 0 to 1 each: ",
      element("code", {}, '{"gsm/17": 1, …}'),
      ", lines of ",
      element("code", {}, '{"item_id": …, "score": …}'),
      ", or a table with the columns ",
      element("code", {}, "item_id,score"),
      ". No answer is null or an empty cell.",
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
