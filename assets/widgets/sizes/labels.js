import { texts } from "../page/texts.js";

export const labels = texts({
  too_small: "{model}: smaller than a pixel",
  fly: "Fly from the smallest to the largest",
  zoom: "Zoom",
  "zoom.told": "Zoom, by factors",
  filled: "{n} parameters fill the picture",
  model: "model",
  parameters: "parameters",
  yours: "yours fits",
  models: "The models, from small to large",
});
