// Reads tokenizers from stdin, each with the calls to make of it, and prints what they give, for Python to compare.
import { readFileSync } from "node:fs";
import { tokenizer } from "../../../assets/widgets/engine/tokenizers.js";

const given = JSON.parse(readFileSync(0, "utf8"));
const called = (own, [name, ...values]) => {
  try {
    return own[name](...values);
  } catch (error) {
    return error.message;
  }
};
const found = given.map(({ data, calls }) => {
  const own = tokenizer(data);
  return own && { kind: own.kind, size: own.vocabSize, answers: calls.map((call) => called(own, call)) };
});
console.log(JSON.stringify(found));
