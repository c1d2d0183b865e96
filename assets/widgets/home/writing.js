// What the model writes after a visitor's own sentence, one word for each press. Pure; tested with node.

/** The visitor's sentence, and the whole text after each word that the model has added. */
export class Writing {
  /** @type {string[]} */
  #texts = [""];

  /** Follow the text on the page: what is none of ours is the visitor's own. */
  follow(text) {
    const at = this.#texts.lastIndexOf(text);
    this.#texts = at < 0 ? [text] : this.#texts.slice(0, at + 1);
  }

  /** Add a word; return the whole text. A space at the end of the text and at the beginning of the word is one. */
  add(word) {
    const text = this.#texts.at(-1);
    this.#texts.push((word.startsWith(" ") ? text.trimEnd() : text) + word);
    return this.#texts.at(-1);
  }

  /** The text without the last word. */
  get before() {
    return this.#texts.at(-2) ?? this.own;
  }

  /** The visitor's own sentence. */
  get own() {
    return this.#texts[0];
  }

  /** What the model has added, as it stands in the text. */
  get added() {
    return this.#texts.length > 1 ? this.#texts.at(-1).slice(this.own.trimEnd().length) : "";
  }

  /** The same word by word. */
  get words() {
    return this.#texts.slice(1).map((text, i) => text.slice(this.#texts[i].trimEnd().length).trim());
  }
}

/**
 * The model's next word after some tokens, letter by letter where it knows the word only so; with a new line before it
 * where a text begins anew.
 *
 * @param {Iterable<string>} pieces of text that the model writes, one token after the other
 */
export function firstWord(pieces) {
  let word = "";
  for (const piece of pieces) {
    if (word.trim() && !/^[\p{L}\p{N}'’]/u.test(piece)) break;
    word += piece;
  }
  return word;
}
