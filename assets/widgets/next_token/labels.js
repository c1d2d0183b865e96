import { texts } from "../page/texts.js";

export const labels = texts({
  step: "{n} of {all}",
  film: "Token",
  random: "random number",
  piece: "{token}: {low} to {high}, {share} wide",
  hint: "The line under a new token shows its chance. Point at a piece to read its token.",
  lost: "The model only gives chances: {best} was most likely, but the random number picked {token}.",
  won: "{token} was most likely, with {share}, and the random number picked it.",
  sure: "{token} takes {share} of the line, so nearly any random number picks it.",
  greedy: "At temperature 0 no number is drawn: the most likely token, {token}, is taken.",
  taken: "Taken, as the most likely: {token}, from {low} to {high}.",
  falls_on: "The number {u} falls on {token}, from {low} to {high}.",
  token: "token",
  from: "from",
  to: "to",
  width: "width",
});
