// What the browser can compute for an exhibit, by name: (model, what it is told) -> parts. Pure; tested with node.
import { knockOut, setRow } from "./effects.js";
import { underMask } from "./under_mask.js";
import { withoutPatches } from "./without_patches.js";
import { writeOn } from "./write_on.js";

export const RECIPES = {
  knock_out: knockOut,
  set_row: setRow,
  under_mask: underMask,
  without_patches: withoutPatches,
  write_on: writeOn,
};
