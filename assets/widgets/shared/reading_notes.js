// What a person should know of how a model read a text: another case, unknown words, a text too long. Pure.
import { grouped } from "../drawing/elements.js";
import { quoted } from "../drawing/tokens.js";
import { labels } from "./labels.js";

/** @param {{ids: number[], cut: number, changed: [string, string][], unknown: string[]}} read of a tokenizer */
export function readingNotes({ ids, cut, changed, unknown }) {
  const notes = [];
  for (const [typed, known] of changed) notes.push(labels("reads_as", { typed: quoted(typed), known: quoted(known) }));
  if (unknown.length) notes.push(labels("reads_by_letter", { words: unknown.map((one) => quoted(one)).join(", ") }));
  if (cut) notes.push(labels("reads_last", { all: grouped(cut), last: ids.length }));
  return notes.join(" ");
}

/** What is said below the field of a text that is too long: which part of it is read; "" where all is. */
export const whatIsRead = ({ cut, end }) => (cut ? labels("reads_end", { end: end.trim() }) : "");
