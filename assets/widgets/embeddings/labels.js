import { texts } from "../page/texts.js";

export const labels = texts({
  examples: "Examples",
  reset: "Reset",
  tip: "Tip of {name} at {place}. Arrow keys move it, with Shift in large steps, Escape resets.",
  moved: "{name} {place}, dot product {dot}, cosine {cosine}",
  both: "q {q} and k {k}: dot product {dot}, cosine {cosine}.",
  dot: "dot product",
  dot_qk: "dot product  q·k",
  cosine: "cosine",
  length_q: "length of q",
  length_k: "length of k",
  angle: "angle",
  angle_from: "arccos of the cosine =",
  degrees: "angle in degrees",
  distance: "distance",
  distance_qk: "distance |q − k|",
  distance_from: "the length of the difference =",
  value: "value",
  "verdict.no_length": "A vector without length has no direction: its dot product is 0 and its cosine is not defined.",
  "verdict.right_angle": "At a right angle both are 0.",
  "verdict.same":
    "Both point exactly the same way: the cosine is 1, whatever the lengths. The dot product depends on them.",
  "verdict.opposite": "They point opposite ways: the cosine is −1, whatever the lengths.",
  "verdict.positive": "Both are positive: the angle is below 90°.",
  "verdict.negative": "Both are negative: the angle is above 90°.",
});
