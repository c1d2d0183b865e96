import assert from "node:assert/strict";
import { test } from "node:test";
import { sums } from "../../../assets/widgets/shared/strip_sums.js";

const names = ["in", "written", "out"];

test("a strip that is a sum is told with both numbers", () => {
  const lines = sums([1, 2, 3], { names, sums: [null, null, [0, 1]] });
  assert.equal(lines.length, 1);
  assert.deepEqual(
    lines[0].filter((part) => part.number !== undefined).map((part) => part.number),
    [1, 2, 3],
  );
});

test("without sums every strip is told", () => {
  assert.equal(sums([1, 2, 3], { names, sums: [null, null, null] }).length, 3);
});
