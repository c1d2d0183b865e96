import { texts } from "../page/texts.js";

export const labels = texts({
  "letter.norm": "N",
  "letter.self_attention": "A",
  "letter.cross_attention": "C",
  "letter.feed_forward": "F",
  part_of: "{block}, {part}, {n} parameters",
  "part_of.differs": "{block}, {part}, {badge}, {n} parameters",
  said: "{part}: {n} parameters.",
  "said.differs": "{part}: {n} parameters, {badge}.",
  total: "{n} parameters in all",
  in: "in",
  out: "out",
  added: "added to the stream",
  hint: "Point at a part, or use Tab and the arrow keys, to see what it does and how many parameters it has.",
  block: "block",
  part: "part",
  parameters: "parameters",
  differs: "differs",
});
