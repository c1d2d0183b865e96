import assert from "node:assert/strict";
import { test } from "node:test";
import { quoted, short, visible } from "../../../assets/widgets/tokens.js";

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

test("emoji, Chinese, Arabic and markup stay as they are", () => {
  for (const token of ["👩‍👩‍👧", "日本語", "مرحبا", "<b>&amp;</b>", "🇩🇪"]) assert.equal(visible(token), token);
});

test("a joiner alone is written out", () => assert.equal(visible("\u200d"), "[200D]"));

test("long tokens are cut between whole characters", () => {
  assert.equal(short("abcdefghijklm", 6), "abcde…");
  assert.equal(short("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 3), "👩‍👩‍👧👩‍👩‍👧…");
  assert.equal(short("short", 12), "short");
  assert.equal(quoted(" a"), "“·a”");
});
