import assert from "node:assert/strict";
import { test } from "node:test";
import { fitted, quoted, short, visible } from "../../../assets/widgets/drawing/tokens.js";

test("spaces, line ends, tabs and control characters are visible", () => {
  assert.equal(visible(" the"), "·the");
  assert.equal(visible("a\n\tb"), "a⏎⇥b");
  assert.equal(visible("\u0000\r\u007f\u00a0"), "[00][0D][7F][A0]");
  assert.equal(visible(""), "∅");
});

test("characters that turn the direction of a page are written out", () => {
  assert.equal(visible("a\u202eb"), "a[202E]b");
  assert.equal(visible("\u2066\u200f\ufeff"), "[2066][200F][FEFF]");
});

test("emoji, Chinese, Hindi and markup stay as they are", () => {
  for (const token of ["👩‍👩‍👧", "日本語", "क्षत्रिय", "é", "<b>&amp;</b>", "🇩🇪", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"]) assert.equal(visible(token), token);
});

test("what reads from right to left is set apart from the sentence around it", () => {
  for (const token of ["مرحبا", "שלום"]) assert.equal(visible(token), `\u2068${token}\u2069`);
  assert.equal(short(" שלום עולם", 6), "\u2068·שלום…\u2069");
  assert.equal(quoted("א"), "“\u2068א\u2069”");
});

test("a joiner alone, blank letters and broken ones are written out", () => {
  assert.equal(visible("\u200d"), "[200D]");
  assert.equal(visible("\u3000\u2800\u3164"), "[3000][2800][3164]");
  assert.equal(visible("a\ud83d"), "a[D83D]");
});

test("a lonely accent stands on a circle, and a tower of accents is counted", () => {
  assert.equal(visible("\u0301"), "◌\u0301");
  assert.equal(visible(`a${"\u0301".repeat(30)}b`), `a${"\u0301".repeat(4)}[+26]b`);
});

test("a label is cut to its room between characters, and what is set apart stays so", () => {
  const width = (text) => [...new Intl.Segmenter().segment(text.replace(/[\u2068\u2069]/g, ""))].length;
  assert.equal(fitted("abcdef", 6, width), "abcdef");
  assert.equal(fitted("abcdef", 4, width), "abc…");
  assert.equal(fitted("abc…", 3, width), "ab…");
  assert.equal(fitted("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 2, width), "👩‍👩‍👧…");
  assert.equal(fitted(visible("שלום"), 3, width), "\u2068של…\u2069");
  assert.equal(fitted("abc", 0, width), "a…");
});

test("long tokens are cut between whole characters", () => {
  assert.equal(short("abcdefghijklm", 6), "abcde…");
  assert.equal(short("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 3), "👩‍👩‍👧👩‍👩‍👧…");
  assert.equal(short("short", 12), "short");
  assert.equal(quoted(" a"), "“·a”");
});
