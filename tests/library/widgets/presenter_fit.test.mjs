// How large the parts of a slide become: whatever they are, they come to rest, and then all of them are on the screen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsOf, spread } from "../../../assets/widgets/page/presenter_charts.js";
import { search } from "../../../assets/widgets/page/presenter_fit.js";

const drawn = (
  (seed) => () =>
    (seed = (seed * 16807) % 2147483647) / 2147483647
)(46);
const between = (low, high) => low + (high - low) * drawn();
const LOOKS = 40;

test("a slide without charts comes to rest and fits, as large as there is room for", () => {
  for (let n = 0; n < 2000; n++) {
    const room = between(200, 900);
    const own = between(100, 2000); // px of its parts at their own size
    const words = between(0, 0.3) * room; // these stay as they are
    const wraps = between(0, 1); // above 1 the same in less width is higher
    const jump = between(0.5, 1); // a little smaller, lines fit that were two
    const heightAt = (factor) => words + own * (factor < 0.9 ? jump : 1) * factor * Math.max(1, factor) ** wraps;
    const known = { fits: 0, tooLarge: Infinity };
    let now = 1;
    let looks = 0;
    for (let next = null; looks < LOOKS && next !== now; looks++) {
      if (next !== null) now = next;
      next = search(known, { height: heightAt(now), room, now, isWide: false, canGrow: true });
    }
    assert.ok(looks < LOOKS, `it moves on and on: ${[room, own, words, wraps]}`);
    assert.ok(heightAt(now) <= room + 1, `${heightAt(now)} in ${room}`);
    assert.ok(now >= 1.79 || heightAt(now * 1.1) > 0.85 * room, `${heightAt(now)} of ${room} is used, at ${now}`);
  }
});

test("charts give up height before anything becomes smaller, and come to rest", () => {
  for (let n = 0; n < 2000; n++) {
    const room = between(300, 900);
    const others = between(0, 700);
    const beside = between(0, 500); // a widget in the same row as the chart
    const least = between(180, 320);
    const known = { tooLarge: Infinity };
    let [now, tall, height] = [1, between(200, 700), 0];
    let looks = 0;
    for (let isMoving = true; looks < LOOKS && isMoving; looks++) {
      height = others * now + Math.max(tall, beside * now);
      const next = spread(known, {
        height,
        room,
        others: others * now,
        tall,
        now,
        rows: { n: 1, width: 900 },
        least,
      });
      isMoving = Math.abs(next.factor - now) > 0.001 || Math.abs(next.tall - tall) >= 3;
      [now, tall] = [next.factor, next.tall];
    }
    assert.ok(looks < LOOKS, `it moves on and on: ${[room, others, beside, least]}`);
    assert.ok(height <= room + 3.01, `${height} in ${room}`);
    assert.ok(tall >= least * now - 1, "a chart is too low to read");
    assert.ok(now === 1 || others + Math.max(least, beside) > room - 1, "smaller than need be");
  }
});

test("charts side by side are one row", () => {
  const box = (top, height, width) => ({ top, bottom: top + height, height, width });
  assert.deepEqual(rowsOf([box(300, 100, 400), box(0, 250, 300), box(2, 200, 200)]), { n: 2, width: 200 });
});
