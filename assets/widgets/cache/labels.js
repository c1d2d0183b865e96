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
});
