// Pictures as files: what a chart is called, and one SVG out of its layers.
import assert from "node:assert/strict";
import test from "node:test";
import { compose, shortTitle } from "../../../assets/widgets/page/saving_svg.js";

test("a title is the first clause of what a picture says to a screen reader", () => {
  assert.equal(shortTitle("variance of the scores by d_k; at 64 it is 65.76"), "Variance of the scores by d_k");
  assert.equal(
    shortTitle("The largest weight is 0.96 without the root."),
    "The largest weight is 0.96 without the root",
  );
  assert.equal(shortTitle("All heads"), "All heads");
  assert.equal(shortTitle("  many\n spaces  "), "Many spaces");
  const long = shortTitle("word ".repeat(40));
  assert.ok(long.length <= 72 && long.endsWith("word …"));
  assert.equal(shortTitle("x".repeat(500)).length, 72);
});

test("layers are put over one another on a ground, in their places", () => {
  const text = compose(
    100.4,
    50,
    'rgb(1, 2, 3)"',
    [
      { href: "data:image/png;base64,AA==", x: 1.234, y: 2, width: 3, height: 4 },
      { svg: "inner", x: 5, y: 6 },
    ],
    (node) => `<svg id="${node}"/>`,
  );
  assert.match(text, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" [^>]*width="101" height="50" viewBox="0 0 101 50">/);
  assert.match(
    text,
    /<rect width="100%" height="100%" fill="rgb\(1, 2, 3\)&quot;"\/><image x="1.23" y="2" width="3" height="4"/,
  );
  assert.ok(text.indexOf("<image") < text.indexOf('<g transform="translate(5 6)"><svg id="inner"/></g>'));
});
