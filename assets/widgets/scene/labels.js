import { texts } from "../page/texts.js";

export const labels = texts({
  step: "Step",
});
