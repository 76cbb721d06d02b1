import { loadBundle } from "anchoreval";
import { contentHash } from "anchoreval/bundle";
import { folderSource } from "anchoreval/node";
import { beforeAll, describe, expect, it } from "vitest";
import { allAnchors, formAnchors } from "anchoreval/internal/logs/anchor-names";
import { findSamples } from "../../../../cli/src/run/same-items.ts";
import { loggedContent, writeBundle } from "../../../support/logged-bundle.ts";
import { expectRefusal, refusal } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();

/** The content of an item, under any id. */
const sample = (number: number, id: string | number, target = "a") => ({
  ...{ id, input: `question ${number}`, choices: ["a", "b"], target },
});

async function formOf(harness: string, hashed: boolean) {
  const content = loggedContent({ harness });
  const scenarios = content.scenarios.map((own) => ({
    ...own,
    anchors: own.anchors.map((anchor) => {
      const copy = { ...anchor };
      delete copy.hash;
      const { input, choices, target } = sample(anchor.index, "");
      return hashed ? { ...copy, hash: contentHash({ input, choices, target }) } : copy;
    }),
  }));
  const place = writeBundle(folder.path(`${harness} ${hashed}`), { ...content, scenarios });
  const bundle = await loadBundle(folderSource(place));
  const anchors = formAnchors(allAnchors(bundle), "20").filter((anchor) => anchor.scenario === "alpha");
  return { bundle, anchors };
}

describe("findSamples", () => {
  let hashed: Awaited<ReturnType<typeof formOf>>;
  let bare: Awaited<ReturnType<typeof formOf>>;
  let ofInspect: Awaited<ReturnType<typeof formOf>>;
  beforeAll(async () => {
    [hashed, bare, ofInspect] = [
      await formOf("other", true),
      await formOf("other", false),
      await formOf("inspect", false),
    ];
  });

  it("finds by content whatever the numbers, and leaves out what is no anchor", () => {
    const { bundle, anchors } = hashed;
    const samples = [sample(1000, 1), ...anchors.map(({ index }, place) => sample(index, 500 - place))];
    expect(findSamples(bundle, anchors, samples)).toEqual([null, ...anchors.map(({ item_id }) => item_id)]);
  });

  it("finds by item id, which any bundle has, with or without content", () => {
    const { bundle, anchors } = bare;
    const ids = anchors.map(({ item_id }) => item_id);
    expect(findSamples(bundle, anchors, [...ids.map((id) => ({ id })), { id: "other" }])).toEqual([...ids, null]);
    expect(
      findSamples(
        bundle,
        anchors,
        anchors.map(({ item_id, index }) => sample(index, item_id)),
      ),
    ).toEqual(ids);
  });

  it("takes samples' ids for the bundle's own only where it was fitted on logs of Inspect", () => {
    const numbered = ofInspect.anchors.map(({ index }) => ({ id: index }));
    const ids = ofInspect.anchors.map(({ item_id }) => item_id);
    expect(findSamples(ofInspect.bundle, ofInspect.anchors, numbered)).toEqual(ids);
    expect(findSamples(bare.bundle, bare.anchors, numbered)).toEqual(ids.map(() => null));
  });

  it("gives a sample to one anchor, where two tasks of the bundle number alike", () => {
    const { bundle, anchors } = ofInspect;
    const [first] = anchors;
    const twice = [first!, { ...first!, item_id: "beta/other", task: "beta" }];
    expect(findSamples(bundle, twice, [{ id: first!.index }])).toEqual([first!.item_id]);
  });

  it("refuses a sample with an anchor's id and another content", () => {
    const { bundle, anchors } = hashed;
    const samples = anchors.map(({ index, item_id }, place) => sample(index, item_id, place < 2 ? "b" : "a"));
    const error = refusal(() => findSamples(bundle, anchors, samples));
    expectRefusal(error, "item_changed", "2 of 20 anchors have other content in the task: ");
  });
});
