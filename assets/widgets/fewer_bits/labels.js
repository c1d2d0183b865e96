import { texts } from "../page/texts.js";

export const labels = texts({
  zeros: "{share}% are 0",
  at_bar: "from {low} to {high}: {before} with {name}, {after} with {other}",
  hint: "Heights grow with the square root. Point at a bar, or walk with the arrow keys.",
  from: "from",
  becomes: "{before} becomes {after}",
  stairs_hint: "Point at a weight, or walk with the arrow keys.",
});
