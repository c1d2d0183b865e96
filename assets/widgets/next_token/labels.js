import { texts } from "../page/texts.js";

export const labels = texts({
  drawn: "drawn: {u}",
  piece: "{token}: {low} to {high}",
  taken: "Taken, as the likeliest: {token}, from {low} to {high}.",
  falls_on: "The number {u} falls on {token}, from {low} to {high}.",
  token: "token",
  from: "from",
  to: "to",
  width: "width",
});
