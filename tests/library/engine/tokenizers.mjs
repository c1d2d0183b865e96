// Reads tokenizers and texts from stdin and prints what the browser makes of them, for Python to compare.
import { readFileSync } from "node:fs";
import { tokenizer } from "../../../assets/widgets/engine/tokenizers.js";

const { tokenizers, texts, most, ids } = JSON.parse(readFileSync(0, "utf8"));
const found = tokenizers.map((data, i) => {
  const own = tokenizer(data);
  return {
    read: texts.map((text) => own.read(text, most)),
    plain: texts.map((text) => own.encode(text)),
    decoded: ids[i].map((some) => own.decode(some)),
    tokens: own.tokens(Array.from({ length: own.vocabSize }, (_, id) => id)),
  };
});
console.log(JSON.stringify(found));
