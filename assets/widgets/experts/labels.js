import { texts } from "../page/texts.js";

export const labels = texts({
  expert: "expert {i}",
  expert_hidden: "What expert {i} gets comes with your guess.",
  router: "router",
  tokens_like: "Tokens like {characters}",
  most_to: "{kind}: most to expert {i}, {share} of them",
  expert_gets: "{expert}: {share} of all tokens, most of them {kind}",
  tokens: "tokens",
  step: "step {step}",
  training_step: "Training step",
});
