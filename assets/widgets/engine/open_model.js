// A model in the browser: its weights, fetched once for all pictures of a page, its config and its tokenizer.
import { fetchWeights } from "./fetch_weights.js";
import { tokenizer } from "./tokenizers.js";

const opened = new Map(); // address of the weights -> model

/**
 * @param {{url: string, config: any, tokenizer: any}} offer what the server tells of it, see core/ui/server/weights.py
 * @returns {Promise<import("./forward.js").Model & {tokenizer: any}>}
 */
export function openModel(offer) {
  if (!opened.has(offer.url)) {
    const made = fetchWeights(offer.url).then((weights) => {
      return { config: offer.config, weights, tokenizer: tokenizer(offer.tokenizer) };
    });
    made.catch(() => opened.delete(offer.url)); // and may be tried again
    opened.set(offer.url, made);
  }
  return opened.get(offer.url);
}
