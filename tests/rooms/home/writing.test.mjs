// What Continue adds to a sentence on Home, and what it gives back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstWord, Writing } from "../../../assets/widgets/home/writing.js";

test("a word is added, taken back, and the visitor's own sentence is kept", () => {
  const writing = new Writing();
  writing.follow("The wind took ");
  writing.follow(writing.add(" the"));
  writing.follow(writing.add(" kite"));
  assert.equal(writing.own, "The wind took ");
  assert.deepEqual(writing.words, ["the", "kite"]);
  assert.equal(writing.added, " the kite");
  assert.equal(writing.before, "The wind took the", "no two spaces");
  writing.follow(writing.before);
  assert.deepEqual(writing.words, ["the"]);
  writing.follow(writing.own);
  assert.deepEqual([writing.words, writing.added, writing.before], [[], "", "The wind took "]);
});

test("what is typed is the visitor's own", () => {
  const writing = new Writing();
  writing.follow("Mia had");
  writing.follow(writing.add(" a"));
  writing.follow("Mia had a hat");
  assert.deepEqual([writing.own, writing.words], ["Mia had a hat", []]);
});

test("a word that the model knows only by its letters is one word", () => {
  assert.equal(firstWord([" kite", " and"]), " kite");
  assert.equal(firstWord([" ", "H", "e", " put"]), " He");
  assert.equal(firstWord([".", " He"]), ".");
  assert.equal(firstWord(["\n", "Tom", " had"]), "\nTom");
  assert.equal(firstWord([" don", "'", "t", "."]), " don't");
});
