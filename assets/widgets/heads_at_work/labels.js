import { texts } from "../page/texts.js";

export const labels = texts({
  of_attention: "{share} of its attention",
  so_it_is: "so “it” is the",
  sure: "{share} sure",
  one_word: "one word changes",
  earlier: "one layer earlier, “{noun}” has read “{ending}” ({share})",
  sentence:
    "Change one word, and this attention head turns from the {second} to the {first}. The model is right in {right} of {all} new sentences.",
  sentence_mixed:
    "Change one word, and see where this attention head turns. The model is right in {right} of {all} new sentences.",
  said: "“it” gives “{word}” {share} of its attention",
  hint: "Layer {layer}, head {head}. Point at a word to see how much attention “it” gives it.",
  until: "until it was {ending}",
  word: "word",
  weight: "attention of “it”, until it was {ending}",
});
