// What a drawn mask allows, in words. Pure.
import { quoted } from "../drawing/tokens.js";
import { emptyRows } from "./reach.js";

/** How much of a mask is open, and which rows may read nothing. */
export function inWords(mask, rows) {
  const n = rows.length;
  const open = mask.reduce((a, b) => a + b, 0);
  const told = `${open} of ${n * n} ${n === 1 ? "cell is" : "cells are"} open.`;
  const empty = emptyRows(mask, n);
  if (!empty.length) return told;
  const names = empty.slice(0, 4).map((t) => `${quoted(rows[t])} (${t})`);
  const many = empty.length === 1 ? "One row" : `${empty.length} rows`;
  return `${told} ${many} may read nothing: ${names.join(", ")}${empty.length > 4 ? ", …" : "."}`;
}
