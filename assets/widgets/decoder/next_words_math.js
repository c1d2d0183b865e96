// What the staircase of guesses says at one step of the training. Pure; tested with node.

/** The rows of a step: {read, tops: [[word, chance], …], next, truth, isRight, history: [0 or 1 for each step]}. */
export function guessesAt({ tokens, words, steps }, { top, probabilities, truth, right }, step) {
  const [, n, nTop] = top.shape;
  return tokens.slice(0, n).map((_, t) => {
    const at = step * n + t;
    const tops = Array.from({ length: nTop }, (_, i) => [
      words[top.data[at * nTop + i]],
      probabilities.data[at * nTop + i],
    ]);
    const history = steps.map((_, s) => right.data[s * n + t]);
    const isRight = right.data[at] === 1;
    return { read: tokens.slice(0, t + 1), tops, next: tokens[t + 1], truth: truth.data[at], isRight, history };
  });
}

/** Stretches of a history in which the guess was right: [[first, length], …]. */
export function stretches(history) {
  const found = [];
  history.forEach((one, i) => {
    if (!one) return;
    if (i > 0 && history[i - 1]) found.at(-1)[1] += 1;
    else found.push([i, 1]);
  });
  return found;
}

/** As many of the last tokens as fit, without the space at the beginning; "…" before them where some are left out. */
export function lastThatFit(tokens, room, widthOf) {
  for (let from = 0; from < tokens.length; from++) {
    if (from && from < tokens.length - 1 && !tokens[from].startsWith(" ")) continue; // never begins with a comma
    const text = tokens.slice(from).join("").trimStart();
    const shown = from ? `… ${text}` : text;
    if (from === tokens.length - 1 || widthOf(shown) <= room) return shown;
  }
  return "";
}
