// The training of the model, as the frames that were stored tell it: attention in one sentence, loss, what it wrote.
import { fetchFile } from "../engine/fetch_weights.js";

/**
 * @param {string} address
 * @returns {Promise<{steps: number[], frame: (i: number) => any}>} a frame is like a pass that knows its
 *   attention alone
 */
export async function openFilm(address) {
  const { tensors, told } = await fetchFile(address);
  const { data, shape } = tensors.get("attention"); // (frames, L, H, T, T) in 1/255
  const [, nLayer, nHead, nToken] = shape;
  const { steps, losses, samples, tokens } = JSON.parse(told.film);
  const size = nHead * nToken * nToken;
  return {
    steps,
    frame(i) {
      const layers = Array.from({ length: nLayer }, (_, l) =>
        data.subarray((i * nLayer + l) * size, (i * nLayer + l + 1) * size).map((level) => level / 255),
      );
      return {
        ...{ tokens, nToken, nLayer, nHead, taps: null, model: null },
        weights: (layer) => layers[layer],
        step: steps[i],
        loss: losses[i],
        sample: samples[i],
      };
    },
  };
}
