import assert from "node:assert/strict";
import test from "node:test";
import { flow, grown, pathTo, share } from "../../../assets/widgets/beam/river_math.js";

const branches = [
  { parent: -1, total: 0.6 },
  { parent: -1, total: 0.3 },
  { parent: 0, total: 0.4 },
  { parent: 0, total: 0.1 },
  { parent: 2, total: 0.4 },
];

test("branches know their depth, their children and the way to them", () => {
  assert.deepEqual(grown(branches).map(({ depth }) => depth), [0, 0, 1, 1, 2]); // prettier-ignore
  assert.deepEqual(grown(branches)[0].children, [2, 3]);
  assert.deepEqual(pathTo(branches, 4), [0, 2, 4]);
});

test("heights are proportional to probabilities, branches leave where those before them end, and all fit", () => {
  const rows = [0, 40, 0, 20, 20];
  const { spots, root, height } = flow(branches, rows, { height: 300, gap: 6 });
  assert.ok(Math.abs(height - 300) < 1e-3);
  const scale = root.h / 0.9;
  branches.forEach(({ total }, i) => assert.ok(Math.abs(spots[i].h - scale * total) < 1e-6));
  assert.equal(spots[2].from, spots[0].y);
  assert.ok(Math.abs(spots[3].from - (spots[0].y + spots[2].h)) < 1e-6);
  const pairs = [[0, 1], [2, 3], [4, 3], [3, 1]]; // prettier-ignore
  pairs.forEach(([upper, lower]) => assert.ok(spots[upper].y + spots[upper].h < spots[lower].y));
  assert.ok(spots.every(({ y, h }) => y >= 0 && y + h <= height + 1e-6));
});

test("rows that need more than there is make the picture taller", () => {
  const { height, spots } = flow(branches, [0, 100, 0, 100, 100], { height: 200, gap: 6 });
  assert.ok(Math.abs(height - 312) < 1e-3);
  assert.ok(spots.every(({ h }) => Number.isFinite(h)));
});

test("a small probability never looks like nothing", () => {
  assert.deepEqual([0.412, 1, 0.01, 0.00123, 1e-9].map(share), ["41%", "100%", "1%", "0.12%", "1e-7%"]);
});
