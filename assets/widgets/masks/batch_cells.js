// Why a cell of a padded batch is open or closed. Pure; tested with node.
import { labels } from "./labels.js";

export const OPEN = 0;
export const LATER = 1;
export const PADDED = 2;
export const WORDS = {
  [OPEN]: labels("cell.open"),
  [LATER]: labels("cell.later"),
  [PADDED]: labels("cell.padded"),
  [LATER | PADDED]: labels("cell.both"),
};

/** masks: {causal, padding}, which of the two apply. length: number of real tokens. t reads s. */
export const state = ({ causal, padding }, length, t, s) =>
  (causal && s > t ? LATER : OPEN) | (padding && s >= length ? PADDED : OPEN);
