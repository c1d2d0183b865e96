// Weights from the server, each file once for a page; the browser keeps it, for its name is made of its content.
import { inflate } from "../drawing/frame.js";
import { metadata, parseSafetensors } from "./safetensors.js";

const fetched = new Map(); // address -> promise

/**
 * @param {string} address from the app's root, such as "weights/….safetensors"
 * @returns {Promise<{tensors: Map<string, import("./tensor.js").Tensor>, told: Object<string, string>}>}
 */
export function fetchFile(address) {
  if (!fetched.has(address)) {
    const made = read(new URL(`../../${address}`, import.meta.url));
    made.catch(() => fetched.delete(address)); // and may be tried again
    fetched.set(address, made);
  }
  return fetched.get(address);
}

/** Put a file that lies in the page itself, deflated: nobody asks a server for it. */
export const lay = (/** @type {string} */ address, /** @type {Uint8Array} */ deflated) =>
  fetched.set(
    address,
    inflate(deflated).then(({ buffer }) => parsed(buffer)),
  );

/** Its tensors alone. */
export const fetchWeights = async (address) => (await fetchFile(address)).tensors;

async function read(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`the model's weights did not come (${answer.status}): reload the page`);
  return parsed(await answer.arrayBuffer());
}

const parsed = (buffer) => ({ tensors: parseSafetensors(buffer), told: metadata(buffer) });
