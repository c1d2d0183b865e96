// What a ViT answers for a picture from which patches are missing, as core/rooms/patches/hide.py has it.
import { softmax } from "../engine/filters.js";
import { forward } from "../engine/forward.js";
import { tensor } from "../engine/tensor.js";
import { fromAddress, inPercent } from "../patches/patch_sets.js";

/**
 * @param {import("../engine/forward.js").Model} model
 * @param {{shades: number[], gone: string, way: "removed" | "painted"}} asked a digit, 0 is paper; which patches are
 *   hidden, as an address has it
 */
export function withoutPatches(model, { shades, gone, way }) {
  const { image_size: side, patch_size: size } = model.config;
  const hidden = fromAddress(gone, (side / size) ** 2);
  const image = tensor([1, side, side], Float32Array.from(shades));
  if (way === "painted") {
    const patchOf = (i) => Math.floor(i / side / size) * (side / size) + Math.floor((i % side) / size);
    image.data.forEach((_, i) => (image.data[i] = hidden[patchOf(i)] ? 0 : image.data[i]));
  }
  const mask = way === "removed" ? unread(hidden) : undefined;
  const now = softmax(forward(model, { image, mask }, { keep: (name) => name === "logits" }).get("logits").data);
  const said = now.indexOf(Math.max(...now));
  return { now: [...now], said, sure: inPercent(now[said]), outcome: hidden.includes(1) ? "answer" : "whole" };
}

/** (T, T) a token that is left out is a key that nobody reads; token 0 is the class token. */
function unread(hidden) {
  const n = 1 + hidden.length;
  return Uint8Array.from({ length: n * n }, (_, i) => Number(i % n === 0 || !hidden[(i % n) - 1]));
}
