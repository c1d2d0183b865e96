import { texts } from "../page/texts.js";

export const labels = texts({
  with_bias: "with the bias ({number})",
  read: "read",
  weight: "weight",
  normed: "normed",
  turned: "turned by position {position}",
  with_distance_bias: "with the bias of the distance ({number})",
  query: "query",
  key: "key",
  divided_by_sum: "÷ {sum}, the sum over all {n}",
  later_token: "a later token, which may not be read",
  token: "token {position}",
  value: "value",
  times_gated: "× {factor}, by w_in",
  token_row: "row {row} of the table of tokens",
  with_position: "with position {position} ({number})",
  position: "position {position}",
});
