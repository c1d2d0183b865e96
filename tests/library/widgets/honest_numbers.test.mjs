import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { chance, percent } from "../../../assets/widgets/drawing/elements.js";
import { strongest, tableOf } from "../../../assets/widgets/shared/head_atlas.js";

const WIDGETS = new URL("../../../assets/widgets/", import.meta.url);

test("the table of all heads shows no digit that its bytes do not have", () => {
  const levels = new Uint8Array([0, 0, 246, 9]); // 0.9633 was sent as 246 of 255, which is 0.9647
  const { columns, rows } = tableOf(
    { tokens: ["a", "b"], columns: ["a", "b"], scores: {} },
    { nLayer: 1, nHead: 1 },
    new Set(),
    () => strongest(levels, 2, 2),
  );
  assert.deepEqual(rows, [["layer 0, head 0", "b", "a", "0.96"]]);
  assert.ok(columns.includes("weight (rounded to 1/255)"));
});

test("every script that turns bytes into weights and lists them says that they are rounded", () => {
  const files = readdirSync(WIDGETS, { recursive: true }).filter((file) => file.endsWith(".js"));
  const lists = files.filter((file) => {
    const source = readFileSync(new URL(file, WIDGETS), "utf8");
    return /\/ 255\b|byte \/ 255/.test(source) && /\btable: \(\) =>/.test(source) && !source.includes("ROUNDED");
  });
  // What is listed in its table came as float32.
  assert.deepEqual(lists.sort(), ["ledger/ledger.js"]);
});

test("a chance that is not 0 is never shown as 0", () => {
  for (const p of [9.6e-5, 4e-4, 1e-30]) assert.equal(chance(p), "<0.001");
  assert.deepEqual(
    [0, 0.5, 1].map((p) => chance(p)),
    ["0.000", "0.500", "1.000"],
  );
  assert.deepEqual(
    [0, 0.004, 0.006, 1].map((p) => percent(p)),
    ["0%", "<1%", "1%", "100%"],
  );
});
