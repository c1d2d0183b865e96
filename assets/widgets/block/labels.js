import { texts } from "../page/texts.js";

export const labels = texts({
  before_title: "Before the nonlinearity",
  both_title: "Each unit, before and after",
  before_axis: "before the nonlinearity",
  count_axis: "how many",
  after_axis: "after it",
  on: "on",
  off: "off",
  at_unit: "unit {unit}: {was} → {is}",
  at_bar: "from {low} to {high}: {count}",
  hint: "Point at a unit or a bar; the arrow keys walk through the units.",
  unit: "unit",
  before: "before",
  after: "after",
});
