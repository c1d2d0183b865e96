import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, countScale, share, shareScale, sized, whole } from "../../../assets/widgets/drawing/ngram_words.js";

test("every factor takes the same step of color, and 1 is not the color of nothing", () => {
  const colors = countScale(1000, "light");
  const steps = [1, 10, 100, 1000].map((n) => colors.level(n));
  assert.ok(steps[0] > 20);
  assert.equal(steps[3], 255);
  assert.ok(Math.abs(steps[1] - steps[0] - (steps[2] - steps[1])) <= 1);
  assert.equal(colors.css(1), colors.stops[0]);
  assert.equal(colors.css(1000), colors.stops.at(-1));
  assert.deepEqual([colors.low, colors.high], [1, 1000]);
});

test("a table of ones has a scale too", () => assert.ok(Number.isFinite(countScale(1, "dark").level(1))));

test("counts fit into a cell and never round up", () => {
  assert.deepEqual([7, 999, 1000, 1999, 9999, 34_567].map(brief), ["7", "999", "1.0k", "1.9k", "9.9k", "34k"]);
  assert.equal(whole(1234567), "1,234,567");
});

test("a probability is 0 or 1 only where it is", () => {
  assert.deepEqual([0, 1, 0.99999, 0.5, 0.0312, 0.00004, 0.0999].map(share), [
    "0",
    "1",
    ">.999",
    ".50",
    ".031",
    "4e−5",
    ".10",
  ]);
});

test("sizes", () => {
  assert.deepEqual([0, 0.25, 3.14e-8, 1234.56, 2e9, Infinity, -Infinity].map(sized), [
    "0",
    "0.250",
    "3.1·10⁻⁸",
    "1234.6",
    "2.0·10⁹",
    "∞",
    "−∞",
  ]);
});

test("the smallest share has a color of its own", () => {
  const shares = shareScale("light");
  assert.ok(shares.level(1e-9) > 20);
  assert.equal(shares.level(1), 255);
});
