import { texts } from "../page/texts.js";

export const labels = texts({
  step: "stage {n}",
  you_ask: "You ask",
  question: "asks on",
  none: "no answer",
  right: "right",
  wrong: "wrong",
  stage: "Training stage",
  sentence:
    "Imitation teaches it to {answer}, preferences make it {friendly}, and only a checker gets large sums {right}.",
  "sentence.answer": "answer",
  "sentence.friendly": "friendly",
  "sentence.right": "right",
  sentence_mixed: "Each stage teaches something else. The frame marks the share that has grown most.",
  said: "{word} had a probability of {p}. The most probable: {top}",
  hint: "Point at a word to see its alternatives. Shares: {facts} questions about things, {sums} sums of 10 or more.",
  model: "model",
  answer: "answer",
  judged: "is",
});
