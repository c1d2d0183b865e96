// Which terms of the glossary answer a word, and how well. Pure; tested with node.

/** @typedef {{name: string, slug: string, definition: string, forms: string[], more: string}} Term */

const plain = (text) => text.toLowerCase().split(/\s+/).filter(Boolean).join(" ");

/**
 * How well a term answers: 0 by its name, 1 by another form of it, 2 and 3 where one begins with the word or holds it,
 * 4 by its names in other code, 5 where its definition mentions it; null: not at all.
 * @param {Term} term @param {string} asked
 */
export function rank(term, asked) {
  const word = plain(asked);
  const forms = [term.name, term.slug, ...term.forms].map(plain);
  const found = [
    forms.slice(0, 2).includes(word),
    forms.includes(word),
    forms.some((form) => form.startsWith(word)),
    forms.some((form) => form.includes(word)),
    plain(term.more).includes(word),
    plain(term.definition).includes(word),
  ].indexOf(true);
  return found < 0 ? null : found;
}

/**
 * The terms for a word as [place, rank], the best first; all in their order for no word.
 * @param {Term[]} terms @param {string} asked
 */
export function search(terms, asked) {
  if (!plain(asked)) return terms.map((_, i) => [i, null]);
  return terms
    .map((term, i) => [i, rank(term, asked)])
    .filter(([, found]) => found !== null)
    .sort((a, b) => a[1] - b[1]);
}

export const firstSentence = (definition) => definition.split(/(?<=[.!?]) (?=[A-Z])/)[0];
