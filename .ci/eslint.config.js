// What the scripts of the widgets must not do, and how they are written; prettier decides the layout.
import js from "@eslint/js";
import globals from "globals";

// Text from people is data: no markup is ever made from it.
const MARKUP = ["innerHTML", "outerHTML", "insertAdjacentHTML", "setHTMLUnsafe", "createContextualFragment"];

export default [
  { ignores: ["**/node_modules/"] },
  js.configs.recommended,
  {
    files: ["**/*.js", "**/*.mjs"],
    rules: {
      curly: ["error", "multi-line"],
      eqeqeq: "error",
      "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
      "max-len": [
        "error",
        {
          code: 120,
          ignoreComments: false,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
        },
      ],
      "no-control-regex": "off",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-misleading-character-class": ["error", { allowEscape: true }],
      "no-new-func": "error",
      "no-restricted-properties": [
        "error",
        ...MARKUP.map((property) => ({ property })),
        { object: "document", property: "write" },
        { object: "document", property: "writeln" },
      ],
      "no-sequences": "error",
      "no-unused-expressions": ["error", { allowShortCircuit: true, allowTernary: true }],
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-var": "error",
      "object-shorthand": "error",
      "one-var": ["error", "never"],
      "prefer-const": ["error", { destructuring: "all" }],
      "prefer-template": "error",
    },
  },
  { files: ["assets/**"], languageOptions: { globals: globals.browser } },
  { files: ["tests/browser/**"], languageOptions: { globals: globals.browser } },
  { files: ["tests/**/*.mjs", ".ci/**"], languageOptions: { globals: globals.node } },
];
