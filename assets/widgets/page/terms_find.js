// Finds the terms of the glossary in a text. Pure; tested with node.

const special = /[.*+?^${}()|[\]\\/]/g;

/**
 * @param terms [[name, slug, definition, [form, ...]], ...]
 * @returns text -> [{start, end, term}], term being the index. The longest form wins. A form with a capital letter
 *   (BERT, Adam) counts only as it is written; the others also at the start of a sentence.
 */
export function finder(terms) {
  const forms = new Map();
  terms.forEach(([, , , own], term) => {
    for (const form of own) forms.set(key(form), { term, form });
  });
  const longest = [...forms.values()].map(({ form }) => form).sort((a, b) => b.length - a.length);
  const any = longest.map((form) => form.replace(special, "\\$&").replace(/ /g, "\\s+")).join("|");
  // No part of a word or of a compound: not "mask" in "unmask" or in "mask-like".
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_\\-/.])(?:${any})(?![\\p{L}\\p{N}_]|-\\p{L})`, "giu");
  return (text) => {
    const found = [];
    for (const match of text.matchAll(pattern)) {
      const hit = forms.get(key(match[0]));
      if (!hit || (/\p{Lu}/u.test(hit.form) && hit.form !== match[0].replace(/\s+/g, " "))) continue;
      found.push({ start: match.index, end: match.index + match[0].length, term: hit.term });
    }
    return found;
  };
}

const key = (form) => form.toLowerCase().replace(/\s+/g, " ");

/**
 * Where a card of this size goes: below what it explains, above it where there is no room, always inside the window.
 */
export function placed(anchor, card, view, margin = 8) {
  const left = Math.max(margin, Math.min(anchor.left, view.width - card.width - margin));
  const below = anchor.bottom + 6;
  const above = anchor.top - card.height - 6;
  const fits = below + card.height + margin <= view.height;
  return { left, top: fits ? below : Math.max(margin, above) };
}
