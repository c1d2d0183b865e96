import assert from "node:assert/strict";
import { test } from "node:test";
import { spreadWords } from "../../../assets/widgets/shared/spread_words.js";

const room = { width: 300, height: 200, gap: 2, groupGap: 10 };
const box = (x, y, group = 0) => ({ x, y, w: 40, h: 20, group });
const overlap = ([a, b], [one, other]) =>
  Math.abs(a.x - b.x) < (one.w + other.w) / 2 - 0.1 && Math.abs(a.y - b.y) < (one.h + other.h) / 2 - 0.1;

test("words that lie over one another part, and stay near and inside", () => {
  const boxes = Array.from({ length: 12 }, (_, i) => box(10 + (i % 3), 190, i % 2));
  const spots = spreadWords(boxes, room);
  for (let i = 0; i < boxes.length; i++) {
    assert.ok(spots[i].x >= 20 && spots[i].x <= 280 && spots[i].y >= 10 && spots[i].y <= 190);
    for (let j = 0; j < i; j++) assert.ok(!overlap([spots[i], spots[j]], [boxes[i], boxes[j]]));
  }
});

test("words that have room stay where they are", () => {
  const boxes = [box(50, 50), box(150, 50, 1), box(50, 150, 2)];
  assert.deepEqual(spreadWords(boxes, room), [
    { x: 50, y: 50 },
    { x: 150, y: 50 },
    { x: 50, y: 150 },
  ]);
});

test("words of two groups keep more room between them", () => {
  const away = (other) => {
    const [a, b] = spreadWords([box(100, 100), box(105, 102, other)], room);
    return Math.abs(a.y - b.y);
  };
  assert.ok(away(1) > away(0) + 5);
});

test("where there is not enough room it ends, inside", () => {
  const spots = spreadWords(
    Array.from({ length: 40 }, () => box(50, 50)),
    { ...room, width: 60, height: 60 },
  );
  assert.ok(spots.every(({ x, y }) => x >= 20 && x <= 40 && y >= 10 && y <= 50));
});
