import { unzipSync } from "fflate";
import fc from "fast-check";
import { expect, test } from "vitest";
import { zip } from "../../../workers/page/views/zip.ts";

test("another program unpacks what was packed", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.stringMatching(/^[a-zé]{1,8}\.json$/), fc.uint8Array({ maxLength: 300 }), {
        noNullPrototype: true,
      }),
      async (files) => {
        const blobs = new Map(Object.entries(files).map(([name, bytes]) => [name, new Blob([bytes])]));
        const unpacked = unzipSync(new Uint8Array(await (await zip("mine-1.0.0", blobs)).arrayBuffer()));
        expect(unpacked).toEqual(
          Object.fromEntries(
            Object.entries(files).map(([name, bytes]) => [`mine-1.0.0/${name}`, new Uint8Array(bytes)]),
          ),
        );
      },
    ),
  );
});
