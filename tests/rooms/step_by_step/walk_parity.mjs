// Run by tests/rooms/step_by_step/test_attention_walkthrough.py, which writes the layer's own numbers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { derived, explain, nameOf } from "../../../assets/widgets/step_by_step/stepper_explain.js";
import {
  compute,
  largestDifference,
  product,
  transpose,
  valueOf,
} from "../../../assets/widgets/step_by_step/stepper_math.js";
import { flipPanel, steps } from "../../../assets/widgets/step_by_step/stepper_steps.js";

const cases = JSON.parse(readFileSync(`${process.env.WALKS}/walks.json`, "utf8"));

test("every tensor of every layer and edit equals Python's", () => {
  for (const { given, edits, tensors } of cases) {
    const { largest, count } = largestDifference(compute(given, edits), tensors);
    assert.ok(largest < 2e-6, `${largest} with ${JSON.stringify(edits)}`);
    assert.ok(count > 200);
  }
});

test("a difference is found", () => {
  const { given, edits, tensors } = cases[0];
  const wrong = { ...tensors, weights: tensors.weights.map((v, i) => (i === 7 ? v + 0.01 : v)) };
  assert.ok(largestDifference(compute(given, edits), wrong).largest > 0.009);
});

test("the arithmetic of every cell gives the cell", () => {
  for (const { given, about, edits } of cases) {
    const t = compute(given, edits);
    const all = { ...given, ...about };
    const set = new Set(edits.map((e) => e.slice(0, 4).join(".")));
    for (const step of steps(about)) {
      for (const panel of step.panels) {
        for (const v of panel.views ?? [panel.left, panel.top, panel.result]) {
          v.rows.forEach((_, r) =>
            v.columns.forEach((_, c) => {
              const ref = v.ref(r, c);
              const why = explain(t, all, ref, set.has(ref.join(".")));
              assert.ok(why.parts.length > 0 && nameOf(all, ref).length > 3);
              for (const source of why.sources) assert.notEqual(valueOf(t, source), undefined);
              if (!set.has(ref.join(".")) && valueOf(t, ref) !== -Infinity) {
                assert.ok(
                  Math.abs(derived(t, all, ref) - valueOf(t, ref)) <= 1e-9 * Math.max(1, Math.abs(valueOf(t, ref))),
                  ref.join("."),
                );
              }
            }),
          );
        }
      }
    }
  }
});

test("in both conventions the product of the factors on show is the result on show", () => {
  for (const { given, about } of cases.slice(0, 24)) {
    const t = compute(given);
    const matrix = (v) => v.rows.map((_, r) => v.columns.map((_, c) => valueOf(t, v.ref(r, c))));
    for (const step of steps(about)) {
      for (const rows of step.panels.filter((p) => p.kind === "product")) {
        const columns = flipPanel(rows);
        for (const p of [rows, columns]) {
          product(matrix(p.left), matrix(p.top))
            .flat()
            .forEach((v, i) => assert.ok(Math.abs(v - matrix(p.result).flat()[i]) < 1e-9, step.id));
        }
        assert.deepEqual(transpose(matrix(columns.result)), matrix(rows.result));
      }
    }
  }
});

test("in the column convention the columns of the weights sum to one", () => {
  const { given, about } = cases[0];
  const t = compute(given);
  const panel = flipPanel(steps(about).find((s) => s.id === "weights").panels[0]);
  const sums = panel.result.columns.map((_, c) =>
    panel.result.rows.reduce((sum, _, r) => sum + valueOf(t, panel.result.ref(r, c)), 0),
  );
  for (const sum of sums) assert.ok(Math.abs(sum - 1) < 1e-12);
});
