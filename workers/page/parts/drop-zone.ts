import { element, freshId, type Child } from "../dom.ts";

export interface DropZoneOptions {
  readonly label: string;
  readonly hint: Child;
  /** A whole folder may be chosen. */
  readonly folder?: boolean;
  readonly multiple?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

/** A field for files: chosen by its button (keyboard too), or dropped on it. */
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

/** The files that were dropped, those of folders too. */
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
