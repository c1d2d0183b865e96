// The texts of the pictures of n-grams.
import { texts } from "../page/texts.js";

export const labels = texts({
  selected: "Selected: {pair}",
  said_never: "{past} then {next}: never seen; {past} comes {total} times before a token",
  said: "{past} then {next}: count {count} of {total}, probability {p}",
  hint: "The darker, the more often; empty: never. Click a cell to see where it is in the text.",
  pair: "After {past}, {next} came {count} of {total} times, so the model gives it {p}.",
  others: "another word",
  sum: "in all",
  places: "Places in the text",
  token_n: "token {position}",
  read_first: "read first",
  read_after: "read after {token}",
  follows: "what follows",
  probability: "probability",
  never_seen: "never seen",
  product: "product",
  log_sum: "sum of ln p",
  perplexity: "perplexity",
  "factor.first": "{row}: token {place}, {token}, the first one: nothing stands before it",
  "factor.alone": "{row}: token {place}, {token}, after none of the {before} tokens before it",
  "factor.part":
    "{row}: token {place}, {token}, after {past} of the {before} tokens before it; the other {n} don't count",
  "factor.part.one":
    "{row}: token {place}, {token}, after {past} of the {before} tokens before it; the other {n} doesn't count",
  "factor.all": "{row}: token {place}, {token}, after {past} of the {n} tokens before it",
  "factor.all.one": "{row}: token {place}, {token}, after {past} of the {n} token before it",
  order: "order",
  factors_hint:
    "Point at a factor or use the arrow keys: the past it sees lights up, the rest is struck out. Click to keep it, Esc to let go.",
  factor: "factor",
  impossible: "impossible: makes the whole product 0",
  log_sum_nats: "sum of ln p (nats)",
  drawn: "{title}  ·  token {place} of {all}, {token}, was drawn with probability {p}",
  samples_hint: "Point at a token, or walk with the arrow keys, for the probability with which it was drawn.",
  copied: "longest piece copied word for word from the training text",
  given: "given beginning",
  model: "model",
  place: "place",
  token: "token",
});
