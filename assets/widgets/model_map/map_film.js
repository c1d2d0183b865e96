// The training of the model, as the frames that were stored tell it: attention in one sentence, loss, what it wrote.
import { el, format } from "../drawing/elements.js";
import { fetchFile } from "../engine/fetch_weights.js";
import { labels } from "./labels.js";

/** The button that begins it, the slider over its steps, and the frame that is looked at. */
export class Film {
  frame = null;
  #film = null;
  button = el("button", { class: "gf-solid" });
  slider = el("input", {
    type: "range",
    min: 0,
    value: 0,
    "aria-label": labels("training_step"),
    "data-name": "training_step",
    oninput: () => this.#go(),
  });
  told = el("output");
  row = el("div", { class: "gf-map-film", hidden: true }, this.slider, this.told);

  /** @param {{show: () => void, fail: (error: Error) => void}} acts `show` is called with each frame, see `frame` */
  constructor(acts) {
    this.acts = acts;
    this.#press(false);
  }

  /** The button says what it leads to, also in the address. */
  #press(isOpen) {
    const key = isOpen ? "back" : "rewind";
    this.button.textContent = labels(key);
    this.button.dataset.name = key;
    this.button.setAttribute("aria-pressed", String(isOpen));
  }

  get at() {
    return this.frame && Number(this.slider.value);
  }

  /** Fetch it, and show the model as it became, or one moment on the way. */
  open(address, at = null) {
    this.row.hidden = false;
    this.#press(true);
    const begin = (film) => {
      this.#film = film;
      this.slider.max = film.steps.length - 1;
      this.slider.value = at ?? film.steps.length - 1;
      this.#go();
    };
    openFilm(address)
      .then((film) => this.row.hidden || begin(film))
      .catch(this.acts.fail);
  }

  close() {
    this.row.hidden = true;
    this.#press(false);
    this.frame = null;
    this.slider.value = 0;
  }

  #go() {
    if (!this.#film) return;
    this.frame = this.#film.frame(Number(this.slider.value));
    const { step, loss } = this.frame;
    const values = { step: step.toLocaleString("en-US"), loss: format(loss, 2) };
    this.told.textContent = labels(loss === null ? "at_step" : "at_step_loss", values);
    this.slider.setAttribute("aria-valuetext", this.told.textContent);
    this.acts.show();
  }
}

/**
 * @param {string} address
 * @returns {Promise<{steps: number[], frame: (i: number) => any}>} a frame is like a pass that knows its
 *   attention alone
 */
async function openFilm(address) {
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
