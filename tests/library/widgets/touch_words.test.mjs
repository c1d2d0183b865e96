import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { forFinger } from "../../../assets/widgets/page/touch_words.js";

const FOLDERS = new URL("../../../assets/widgets/", import.meta.url);
const OF_KEYS = /space bar|[Aa]rrow keys|Space|Esc|Enter|[Pp]oint at/;

test("a text for pointer and keys is said to a finger", () => {
  const said = {
    "Point at a box. Space plays, the arrow keys step.": "Tap a box.",
    "Point at a cell, or use the arrow keys: it says who.": "Tap a cell: it says who.",
    "Point at a part, or use Tab and the arrow keys, to see it.": "Tap a part to see it.",
    "What it reads. A click holds it, Esc lets go.": "What it reads.",
    "A kind. Press the space bar to play, and the arrow keys to go on.": "A kind.",
    "Click a word, or press Enter on it, to hide it.": "Tap a word to hide it.",
    "Clicks and pointers are no words of ours.": "Clicks and pointers are no words of ours.",
  };
  for (const [text, finger] of Object.entries(said)) assert.equal(forFinger(text), finger);
});

test("no hint that says where to point speaks of keys or a pointer to a finger", () => {
  const tables = readdirSync(FOLDERS, { recursive: true }).filter((file) => file.endsWith("labels.js"));
  const texts = tables.flatMap((file) => readFileSync(new URL(file, FOLDERS), "utf8").match(/"[^"\n]+"/g));
  const hints = texts.map((text) => text.slice(1, -1)).filter((text) => /Point at|^Space plays/.test(text));
  assert.ok(hints.length > 40);
  assert.deepEqual(
    hints.filter((text) => OF_KEYS.test(forFinger(text))),
    [],
  );
});
