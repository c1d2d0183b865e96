import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, counts, product, running, surprise, totals } from "../../../assets/widgets/ledger/ledger_math.js";

test("surprises add up to the log of the product", () => {
  const ps = [0.5, 0.25, 1];
  assert.deepEqual(
    running(ps).map((v) => +(v / Math.LN2).toFixed(9)),
    [1, 3, 3],
  );
  const t = totals(ps);
  assert.equal(t.product, "1.3·10⁻¹");
  assert.ok(Math.abs(t.nats - Math.log(8)) < 1e-12 && Math.abs(t.perplexity - 2) < 1e-12);
});

test("an impossible token makes the sentence impossible", () => {
  assert.equal(surprise(0), Infinity);
  assert.deepEqual([totals([0.5, 0]).product, totals([0.5, 0]).perplexity], ["0", Infinity]);
});

test("products that no number can hold are still printed", () => {
  assert.equal(product(Math.log(10) * 1000), "1.0·10⁻¹⁰⁰⁰");
  assert.equal(product(-Math.log(3.2e-7)), "3.2·10⁻⁷");
  assert.equal(product(-Math.log(9.97e-3)), "1.0·10⁻²");
  assert.equal(product(0), "1.0");
});

test("a probability in few letters", () => {
  assert.deepEqual([0, 1, 0.999, 0.98, 0.1, 0.0123, 0.00042].map(brief), [
    "0",
    "1",
    "~1",
    ".98",
    ".10",
    ".012",
    "4e−4",
  ]);
});

test("a cell of counts tells its arithmetic", () => {
  const tokens = ["⏎", "a", "b", "c"];
  const about = { order: 3, smoothing: "laplace", vocab: 10 };
  const cell = { p: 3 / 15, context: 2, count: 2, total: 5, types: 3, lower: 0.1 };
  assert.deepEqual(counts(cell, tokens, 2, about), [
    "“c” occurred 2 times after “a” “b”, of 5 tokens there.",
    "probability (2 + 1) / (5 + 10) = 0.200",
  ]);
  assert.match(counts({ ...cell, context: 1 }, tokens, 0, about)[0], /Only 1 of 2 tokens/);
  assert.match(
    counts({ ...cell, context: 1 }, tokens, 2, { ...about, smoothing: "interpolated" })[0],
    /never occurred/,
  );
  assert.match(
    counts({ ...cell, total: 0, count: 0, p: 0 }, tokens, 2, { ...about, smoothing: "mle" })[1],
    /nothing to divide/,
  );
});
