import { texts } from "../page/texts.js";

export const labels = texts({
  joined: "{number} is joined with {before} and {after}",
  ring_hint: "Point at a number, or walk with the arrow keys.",
  number: "number",
  across: "across",
  up: "up",
  feature: "feature",
  direction: "direction",
  length: "length",
  turn: "turn",
  tilt: "tilt",
  reset: "As trained",
  loss: "loss {loss}",
  as_trained: "as trained",
  loss_trained: "as trained {loss}",
  loss_first: "with only the {n} most important kept {loss}",
  "arrows.flat": "features as arrows: drag one",
  "arrows.deep": "features as arrows: turn them",
  matrix: "what comes back (column) of each feature (row)",
  back: "back at {i}",
});
