// Letters that show nothing, as core/data/printable.py lists them; a test compares the two. Pure.

// Controls, direction marks, line ends, blanks in many scripts (Hangul fillers, Mongolian and Khmer marks, an empty
// Braille cell, a note without a head), what joins words, and what Unicode keeps free for more of them.
export const HIDDEN =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e001f}\u{e0080}-\u{e00ff}\u{e01f0}-\u{e0fff}]/u;

/** A token of nothing but letters that shape the ones before them (emoji variants, joiners, flags' tags). */
export const ONLY_JOINERS = /^[\u200c\u200d\ufe00-\ufe0f\u{e0020}-\u{e007f}\u{e0100}-\u{e01ef}]+$/u;

/** Begins with an accent, which else sits on whatever stands before it. */
export const LONE_ACCENT = /^\p{M}/u;
export const CARRIER = "◌";
