// What a person should know of how a model read a text: another case, unknown words, a text too long. Pure.
import { grouped } from "../drawing/elements.js";
import { quoted } from "../drawing/tokens.js";

/** @param {{ids: number[], cut: number, changed: [string, string][], unknown: string[]}} read of a tokenizer */
export function readingNotes({ ids, cut, changed, unknown }) {
  const notes = [];
  for (const [typed, known] of changed) notes.push(`It reads ${quoted(typed)} as ${quoted(known)}.`);
  if (unknown.length) notes.push(`It reads ${unknown.map((one) => quoted(one)).join(", ")} letter by letter.`);
  if (cut) notes.push(`Of ${grouped(cut)} tokens it reads the last ${ids.length}.`);
  return notes.join(" ");
}

/** What is said below the field of a text that is too long: which part of it is read; "" where all is. */
export const whatIsRead = ({ cut, end }) =>
  cut ? `The model reads only the end: “${end.trim()}” The words before it are left out.` : "";
