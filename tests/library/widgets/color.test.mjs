import assert from "node:assert/strict";
import { test } from "node:test";
import {
  contrast,
  luminance,
  parseHex,
  readableOn,
  scale,
  table,
  tints,
} from "../../../assets/widgets/drawing/color.js";
import { COLORS } from "../../../assets/widgets/drawing/theme.js";

test("the sequential scale changes its brightness in one direction only", () => {
  for (const [mode, sign] of [
    ["light", -1],
    ["dark", 1],
  ]) {
    const rgb = table(COLORS[mode].sequential);
    for (let i = 1; i < 256; i++) {
      const step = luminance(rgb.subarray(i * 3, i * 3 + 3)) - luminance(rgb.subarray(i * 3 - 3, i * 3));
      assert.ok(step * sign >= -0.002, `${mode} turns back at ${i}`);
    }
  }
});

test("ends of the scale are the ends of the range; what lies outside is clamped", () => {
  const p = scale("probability", 0, 1, "light");
  assert.equal(p.css(0).toLowerCase(), COLORS.light.sequential[0].toLowerCase());
  assert.equal(p.css(1).toLowerCase(), COLORS.light.sequential.at(-1).toLowerCase());
  assert.equal(p.level(-3), 0);
  assert.equal(p.level(7), 255);
});

test("zero of a signed scale is its middle", () => {
  const s = scale("signed", -2, 2, "light");
  const middle = parseHex(COLORS.light.diverging[5]);
  parseHex(s.css(0)).forEach((v, i) => assert.ok(Math.abs(v - middle[i]) <= 3));
});

test("text is readable on every color of every scale and on every tint", () => {
  for (const mode of ["light", "dark"]) {
    const steps = ["value", "signed"].flatMap((kind) =>
      Array.from({ length: 256 }, (_, i) => scale(kind, 0, 255, mode).css(i)),
    );
    for (const color of [...steps, ...tints(mode, mode === "light" ? "#FBFAF6" : "#0A111C")]) {
      assert.ok(contrast(color, readableOn(color)) >= 4.5, `${color} in ${mode}`);
    }
  }
});

test("the accent stands out from the page", () => {
  assert.ok(contrast(COLORS.light.accent, "#FBFAF6") >= 4.5);
  assert.ok(contrast(COLORS.dark.accent, "#0A111C") >= 4.5);
});
