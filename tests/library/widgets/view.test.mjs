// What is set in pictures, written into an address and read from it: nothing is lost, and nothing else gets in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { read, short, write } from "../../../assets/widgets/page/view.js";

test("what was written is read again", () => {
  const set = { ab12: { x1: "3", held: "0.14.7" }, zz: { y: "-0.5" } };
  assert.deepEqual(read(write(set)), set);
  assert.equal(write({ ab12: {} }), "");
  assert.deepEqual(read(null), {});
});

test("what fits no control is passed over, and the rest is kept", () => {
  assert.deepEqual(read("ab_x-1_<b>-2_y-url(3)~__proto__-1~TOOLONGNAME_x-1~cd_z-4"), {
    ab: { x: "1" },
    cd: { z: "4" },
  });
  assert.equal(Object.keys(read("a_x-1~".repeat(100_000))).length, 1);
});

test("names that differ by a letter get other letters", () => {
  const names = Array.from({ length: 300 }, (_, i) => short(`INPUT head ${i}`));
  assert.equal(new Set(names).size, 300);
});
