// A logit as a sum of products, and a probability as its share. Pure; tested with node.
import { capped } from "../drawing/formula.js";

/**
 * The products h·w of one token, largest first in size; what does not fit is added up in `rest`. Where the model bounds
 * its logits, c is the most that one can be: the sum of the products is then not yet the logit.
 */
export function logitTerms(hidden, row, bias, most, c) {
  const products = Array.from(hidden, (h, i) => h * row[i]);
  const order = products.map((_, i) => i).sort((a, b) => Math.abs(products[b]) - Math.abs(products[a]) || a - b);
  const shown = order.slice(0, most);
  const running = [];
  let sum = 0;
  for (const i of shown) running.push((sum += products[i]));
  const rest = order.slice(most).reduce((total, i) => total + products[i], 0);
  return {
    products,
    shown,
    running,
    rest,
    nRest: order.length - shown.length,
    dot: sum + rest,
    sum: sum + rest + bias,
    logit: capped(sum + rest + bias, c),
  };
}

/** Softmax by hand: e^(z - largest) over the sum of all of them, which is sent for the whole vocabulary. */
export const share = (logit, largest, total) => Math.exp(logit - largest) / total;
