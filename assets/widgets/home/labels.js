// The texts of Home's pictures.
import { texts } from "../page/texts.js";

export const labels = texts({
  a_space: "a space (“{mark}”)",
  unfold: "Unfold it and press Play",
  expects: "It expects {name} with {share}.",
  expects_after: "After “{token}” it expects {name} with {share}.",
  picture: "The sentence through the model. {sentence}",
  instead: "Instead of {word}:",
  tokens: "Tokens",
  n_tokens: "{n} of them",
  embeddings: "Embeddings",
  n_numbers: "{n} numbers each",
  layer: "Layer {l}",
  n_heads: "{n} heads and an MLP",
  "n_heads.one": "{n} head and an MLP",
  next_token: "Next token",
  n_probabilities: "{n} probabilities",
  layers: "Layers",
  said: "After {token}: {expects}, {share}",
  no_model: "This model is too large, or of a kind that your browser can't run.",
  "column.position": "position",
  "column.token": "token",
  "column.id": "id",
  "column.next": "expects next",
  "column.probability": "probability",
});
