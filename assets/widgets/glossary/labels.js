import { texts } from "../page/texts.js";

export const labels = texts({
  search: "Search for a term, or for its name in other code",
  examples: "softmax, hidden_size, Bahdanau …",
  found: "{n} of {all} terms",
  no_match: "No match for “{asked}”. Try a shorter word, or clear the field to see all.",
  start_here: "Twenty to begin with",
  all: "All terms, from A to Z",
});
