// Why a cell of a padded batch is open or closed. Pure; tested with node.

export const OPEN = 0;
export const LATER = 1;
export const PADDED = 2;
export const WORDS = {
  [OPEN]: "may be read",
  [LATER]: "blocked: it comes later",
  [PADDED]: "blocked: it is padding",
  [LATER | PADDED]: "blocked twice: later, and padding",
};

/** masks: {causal, padding}, which of the two apply. length: number of real tokens. t reads s. */
export const state = ({ causal, padding }, length, t, s) =>
  (causal && s > t ? LATER : OPEN) | (padding && s >= length ? PADDED : OPEN);
