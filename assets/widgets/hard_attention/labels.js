import { texts } from "../page/texts.js";

export const labels = texts({
  training_step: "Training step",
  moment: "moment",
  step: "step {step}",
  "title.soft": "Soft: read a mix of all cards",
  "title.hard": "Hard: draw one card, read it",
  asked: "Digit on {letter}?",
  says: "says",
  draws: "each dot is a draw: {n} of {all} hit {letter}",
  mixes: "the wider a line, the more of that card it reads",
  right: "Right answers to new questions, by training step",
  draw_again: "Draw again",
  draw_n: "Draw {n} of {all}. Click to draw again.",
  "said.soft": "{card}: soft attention reads {share} of it.",
  "said.hard": "{card}: drawn with a chance of {share}, {n} times in {all} draws.",
  hint: "Point at a card to see how much of it is read, or how likely it is drawn. Click it to ask for it.",
  "sentence.ahead":
    "After {step} steps, soft attention answers {soft} of new questions right, hard only {hard}, because a draw can miss the card.",
  "sentence.plain": "After {step} steps, soft attention answers {soft} of new questions right, hard {hard}.",
  card: "card",
  "weight.soft": "soft: weight",
  "weight.hard": "hard: weight",
  times_drawn: "times drawn",
});
