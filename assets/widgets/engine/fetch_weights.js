// Weights from the server, each file once for a page; the browser keeps it, for its name is made of its content.
import { inflate } from "../drawing/frame.js";
import { metadata, parseSafetensors } from "./safetensors.js";

const fetched = new Map(); // address -> promise
const progress = new Map(); // address -> {share, hears}

/**
 * Hear how much of a file has come, from 0 to 1: now, and as more does.
 *
 * @param {string} address as in `fetchFile`
 * @param {(share: number) => void} hear
 */
export function whileFetched(address, hear) {
  const one = progressOf(address);
  one.hears.push(hear);
  hear(one.share);
}

function progressOf(address) {
  if (!progress.has(address)) progress.set(address, { share: 0, hears: [] });
  return progress.get(address);
}

function tellProgress(address, share) {
  const one = progressOf(address);
  one.share = share;
  for (const hear of one.hears) hear(share);
}

/**
 * @param {string} address from the app's root, such as "weights/….safetensors"
 * @returns {Promise<{tensors: Map<string, import("./tensor.js").Tensor>, told: Object<string, string>}>}
 */
export function fetchFile(address) {
  if (!fetched.has(address)) {
    const made = read(new URL(`../../${address}`, import.meta.url), (share) => tellProgress(address, share));
    made.then(
      () => tellProgress(address, 1),
      () => {
        fetched.delete(address); // and may be tried again
        tellProgress(address, 1);
      },
    );
    fetched.set(address, made);
  }
  return fetched.get(address);
}

/** Put a file that lies in the page itself, deflated: nobody asks a server for it. */
export const lay = (/** @type {string} */ address, /** @type {Uint8Array} */ deflated) =>
  fetched.set(
    address,
    inflate(deflated).then(({ buffer }) => {
      tellProgress(address, 1);
      return parsed(buffer);
    }),
  );

/** Its tensors alone. */
export const fetchWeights = async (address) => (await fetchFile(address)).tensors;

async function read(url, tell) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`the model's weights did not come (${answer.status}): reload the page`);
  return parsed(await whole(answer, tell));
}

/** The bytes of an answer; `tell` hears what share of them has come, where the server says how many there are. */
async function whole(answer, tell) {
  const size = Number(answer.headers.get("x-bytes"));
  if (!size || !answer.body) return answer.arrayBuffer();
  const bytes = new Uint8Array(size);
  let n = 0;
  for (const reader = answer.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes.set(value, n);
    n += value.length;
    tell(n / size);
  }
  if (n !== size) throw new Error("the model's weights did not come whole: reload the page");
  return bytes.buffer;
}

const parsed = (buffer) => ({ tensors: parseSafetensors(buffer), told: metadata(buffer) });
