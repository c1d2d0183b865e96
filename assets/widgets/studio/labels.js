import { texts } from "../page/texts.js";

export const labels = texts({
  hint: "Space plays, the arrow keys step.",
  thousandth: "one in a thousand",
  histogram_hint: "How often each value occurs; the thin line is the first frame.",
  token_reads: "{query} reads {key}",
  at_cell: "row {row}, column {column}",
  tensor: "tensor",
  step: "step {step}",
  training_step: "Training step",
  no_layer: "outside the layers",
  layer: "layer {layer}",
  range: "{low} to {high}",
  not_watched: "not watched at this step",
});
