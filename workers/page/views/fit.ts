import { element } from "../dom.ts";
import type { Session } from "../session.ts";
import type { View } from "../view.ts";

export function fitView(_session: Session): View {
  return { title: "Fit your own", content: [element("h1", {}, "Fit your own")] };
}
