import { chartMark } from "anchoreval/internal/features/charts/sdk/chart";
import { expect, test } from "vitest";
import { drawChart, escapeText, html, idText } from "../../../../../features/report/fit/html.ts";

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

const draw = (label: string): string =>
  drawChart({
    label,
    width: 320,
    height: 100,
    marginTop: 10,
    marginRight: 10,
    marginBottom: 10,
    marginLeft: 10,
    x: { domain: [0, 1] },
    y: { domain: [0, 1] },
    marks: [
      chartMark("dot", [{ x: 1 / 3, y: 0.123456, title: "<b>&" }], { x: "x", y: "y", r: 2.345, title: "title" }),
      chartMark("text", ["<script>"], { frameAnchor: "middle" }),
    ],
  }).markup;

test("a chart has a role, a label and a box, and no size or style of its own", () => {
  const markup = draw(`a "label" <i>`);
  expect(markup).toMatch(
    /^<svg class="plot" role="img" aria-label="a &#34;label&#34; &#60;i&#62;" viewBox="0 0 320 100" /,
  );
  expect(markup).not.toContain("<style");
  expect(markup).not.toMatch(/<svg[^>]* (width|height|font-family)=/);
});

test("texts in a chart are escaped", () => {
  const markup = draw("x");
  expect(markup).toContain("<title>&#60;b&#62;&#38;</title>");
  expect(markup).toContain("&#60;script&#62;");
  expect(markup).not.toContain("<script");
});

test("coordinates have one decimal; the same chart is the same text, whatever was drawn before", () => {
  const first = draw("x");
  expect(first).not.toMatch(/ (cx|cy|x1|y1|d|transform)="[^"]*\.\d\d/);
  expect(draw("x")).toBe(first);
});
