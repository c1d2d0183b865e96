import { texts } from "../page/texts.js";

export const labels = texts({
  reads_prompt:
    "Step {step} reads the prompt: {n} rows new. Its last query reads most from {most} ({weight}). The model writes {written}.",
  "reads_prompt.one":
    "Step {step} reads the prompt: {n} row new. Its last query reads most from {most} ({weight}). The model writes {written}.",
  reads:
    "Step {step} reads {token}: 1 row new, {n} reused. Its last query reads most from {most} ({weight}). The model writes {written}.",
  weight: "weight",
  keys: "keys",
  "keys.wide": "keys: {n} numbers",
  values: "values",
  "values.wide": "values: {n} numbers",
  marks: "framed: new at this step · dashed: not read yet",
  token: "token",
  "column.key": "key {i}",
  "column.value": "value {i}",
  step_of: "step {step} of {all}",
  without_cache: "Without a cache",
  with_cache: "With the cache",
  tokens_computed: "tokens computed",
  computed: "computed",
  the_text: "the text: {n} tokens",
  "the_text.one": "the text: 1 token",
  writes: "writes",
  again: "{n} computed",
  new_and_kept: "{new} new, {n} kept",
  all_again: "all computed again|at each step",
  only_looked_up: "keys and values kept:|only looked up",
  tokens_written: "token {n}",
  sentence_first: "To write the first token, the model computes the whole text in both cases: {own} tokens.",
  "sentence_first.one": "To write the first token, the model computes the text in both cases: {own}.",
  sentence_step: "After {n} new tokens: {anew} computed without a cache, {own} with it.",
  sentence:
    "For {n} new tokens, the model computes {own} instead of {anew}, because it keeps the keys and values of the others.",
  "sentence.one": "For one new token, the model computes {anew} without a cache, {own} with it.",
  "sentence_same.one": "For one new token, the model computes {anew} without a cache, {own} with it.",
  sentence_same:
    "The same {n} new tokens, but the model computes {own} instead of {anew}: it keeps the keys and values of earlier ones.",
  row: "For {token} it reads {n} tokens: {work_anew} multiplications to compute all, {work} to compute {own}.",
  "row.one": "For {token} it reads 1 token: {work} multiplications.",
});
