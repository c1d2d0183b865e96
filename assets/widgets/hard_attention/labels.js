import { texts } from "../page/texts.js";

export const labels = texts({
  training_step: "Training step",
  moment: "moment",
  step: "step {step}",
  "title.soft": "Soft: read a mix of all cards",
  "title.hard": "Hard: draw one card, read it",
  asked: "Asked for {letter}",
  says: "says",
  sure: "{share} sure",
  draws: "{n} of {all} draws (dots) hit {letter}",
  mixes: "reads a little of every card",
  right: "Right answers to new questions, by training step",
  draw_again: "Draw again",
  draw_n: "Draw {n} of {all}. Click to draw again.",
  "said.soft": "{card}: soft attention reads {share} of it.",
  "said.hard": "{card}: drawn with a chance of {share}, {n} times in {all} draws.",
  hint: "Sure: how likely it finds its digit after reading. % under a card: how much is read, or how likely it is drawn.",
  "sentence.ahead":
    "After {step} steps, soft attention answers {soft} of new questions right, hard only {hard}: a draw can miss the card.",
  "sentence.plain": "After {step} steps, soft attention answers {soft} of new questions right, hard {hard}.",
  card: "card",
  "weight.soft": "soft: weight",
  "weight.hard": "hard: weight",
  times_drawn: "times drawn",
});
