import { texts } from "../page/texts.js";

export const labels = texts({
  weight: "attention weight",
  every_head: "One head at a time",
  keys: "Arrow keys read the patches.",
  head_keys: "Every head at “{word}”. Page Up and Page Down change the head, Enter opens it.",
  after: "After “{text}” comes",
  at_start: "At the start comes",
  changed: "changed",
  word_reads: "{word}, reads {picture}",
  word: "word",
  probability: "probability",
  sentence: "For “{word}”, this head gives one patch {share} of its attention: row {row}, column {column}.",
  sentence_mean: "For “{word}”, {share} of the attention goes to {n} of the {all} patches.",
  patch: "row {row}, column {column}",
  word_of: "Word {n} of {all}: “{word}”, {p}.",
  head: "Head {head}",
  mean_head: "The mean of all heads",
  reads_vector: "{reader} reads the one vector.",
  "reads_vector.of": "{reader} reads the one vector of the {picture}.",
  reads_patch: "{reader} reads most in row {row}, column {column} ({weight}).",
  "reads_patch.of": "{reader} reads most in row {row}, column {column} ({weight}) of the {picture}.",
});
