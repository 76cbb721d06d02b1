import { expect, test } from "vitest";
import { escapeText, html, idText } from "../../../offline-trainer/src/report/html.ts";

test("texts are escaped, in content and in attributes", () => {
  const id = `"><script>alert('x')</script>&amp;`;
  const { markup } = html`<td title="${id}">${id}</td>`;
  expect(markup).not.toMatch(/<script|'x'|&amp;/);
  expect(markup.match(/"/g)).toHaveLength(2);
  expect(escapeText("<&>\"'")).toBe("&#60;&#38;&#62;&#34;&#39;");
});

test("markup is taken as it is, lists are joined, null is nothing, numbers are numbers", () => {
  const rows = ["a", "<b>"].map((text) => html`<li>${text}</li>`);
  const list = html`<ul>
    ${rows}${null}${0}${[]}
  </ul>`;
  expect(list.markup.replace(/\s/g, "")).toBe("<ul><li>a</li><li>&#60;b&#62;</li>0</ul>");
});

test("an id can't reorder the text around it", () => {
  expect(idText("\u202eabc").markup).toBe("<bdi>\u202eabc</bdi>");
});
