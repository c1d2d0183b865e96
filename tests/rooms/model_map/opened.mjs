// The map of the model that ships, opened on a text.
import { readFileSync } from "node:fs";
import { parseSafetensors } from "../../../assets/widgets/engine/safetensors.js";
import { tokenizer } from "../../../assets/widgets/engine/tokenizers.js";
import { MapState } from "../../../assets/widgets/model_map/map_state.js";

const folder = new URL("../../../assets/models/stories/", import.meta.url);
const bytes = (name) => readFileSync(new URL(name, folder));
const weights = bytes("model.safetensors");
export const model = {
  config: JSON.parse(bytes("config.json").toString()),
  weights: parseSafetensors(weights.buffer.slice(weights.byteOffset, weights.byteOffset + weights.byteLength)),
  tokenizer: tokenizer(JSON.parse(bytes("tokenizer.json").toString())),
};
export const TEXT = "Sam had his kite and Anna had her hat. The wind took the";

export const opened = (text = TEXT) => {
  const state = new MapState();
  state.open(model, text, 64);
  return state;
};

/** What a layout is asked for. */
export const asked = ({ nToken, nLayer, nHead }) => ({
  width: 0,
  height: 600,
  unit: 1,
  label: 60,
  nToken,
  nLayer,
  nHead,
  open: null,
});
