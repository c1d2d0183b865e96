import { texts } from "../page/texts.js";

export const labels = texts({
  at_pair: "Position {position}, pair {pair}: sine {sine}, cosine {cosine}",
  position: "position",
  number: "number",
  pair: "pair {i}",
  "curve.sine": "number {i}, sine",
  "curve.cosine": "number {i}, cosine",
  position_t: "position t",
  distance_k: "dashed: t + k",
  reset: "Reset",
  value: "value",
  clocks:
    "position {position}  ·  pair {pair}: sin {sine} cos {cosine}  ·  {degrees}° per position, a full turn takes {turn}",
  product:
    "dot product of positions {position} and {other} = {product}  ·  the same for any two positions {distance} apart",
  "product.itself": "dot product of position {position} with itself = {product}  ·  half the width, at every position",
  score_at: "Query at {query}, key at {key}: score {score}",
  score: "score {score}  ·  query at {query}, key at {key}  ·  distance {distance}",
  numbers: "numbers",
  numbers_of: "numbers {a}, {b}",
  query: "query",
  key: "key",
  distance_axis: "distance: key minus query",
  slide_both: "slide both",
  query_at: "query at",
  key_at: "key at",
  adds: "adds to the score",
});
