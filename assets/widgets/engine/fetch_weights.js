// Weights from the server, each file once for a page; the browser keeps it, for its name is made of its content.
import { parseSafetensors } from "./safetensors.js";

const fetched = new Map(); // address -> promise

/**
 * @param {string} address from the app's root, such as "weights/….safetensors"
 * @returns {Promise<Map<string, import("./tensor.js").Tensor>>}
 */
export function fetchWeights(address) {
  if (!fetched.has(address)) {
    const made = read(new URL(`../../${address}`, import.meta.url));
    made.catch(() => fetched.delete(address)); // and may be tried again
    fetched.set(address, made);
  }
  return fetched.get(address);
}

async function read(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`the model's weights did not come (${answer.status}): reload the page`);
  return parseSafetensors(await answer.arrayBuffer());
}
