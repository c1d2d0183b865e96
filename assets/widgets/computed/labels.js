import { texts } from "../page/texts.js";

export const labels = texts({
  given: "given",
  one_of_tokens_left: "probability {chance}, one of {tokens} left",
  only_token_left: "the only token left",
  greedy: "always the likeliest token (temperature 0)",
  temperature: "temperature {temperature}",
  top_k: "top-k {k}",
  top_p: "top-p {p}",
});
