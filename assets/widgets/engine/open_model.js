// A model in the browser: its weights, fetched once for all pictures of a page, its config and its tokenizer.
import { fetchWeights } from "./fetch_weights.js";
import { tokenizer } from "./tokenizers.js";

/** The same model before its weights are there: it reads, and computes nothing. */
export const readerOf = (offer) => ({ config: offer.config, tokenizer: tokenizer(offer.tokenizer) });

const opened = new Map(); // address of the weights -> model

/**
 * @param {{url: string, config: any, tokenizer: any}} offer what the server tells of it, see core/browser/weights.py
 * @returns {Promise<import("./forward.js").Model & {tokenizer: any}>}
 */
export function openModel(offer) {
  if (!opened.has(offer.url)) {
    const made = fetchWeights(offer.url).then((weights) => {
      return { ...readerOf(offer), weights };
    });
    made.catch(() => opened.delete(offer.url)); // and may be tried again
    opened.set(offer.url, made);
  }
  return opened.get(offer.url);
}
