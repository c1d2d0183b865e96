// What both ways of reading the cards give at one moment of their training. Pure; tested with node.

/**
 * @typedef {{weights: number[], read: number | null, digit: number, isRight: boolean,
 *   times: number[]}} Reading weights, times drawn: of each card; read: the card that is read, null for all of them
 * @returns {Reading[]} soft, then hard
 */
export function readingsAt({ cards }, { weights, answers, drawn }, { step, asked, draw }) {
  const n = cards.length;
  const [, nMoment] = weights.shape;
  const nDraw = drawn.shape[2];
  const draws = [...drawn.data.slice((step * n + asked) * nDraw, (step * n + asked + 1) * nDraw)];
  return [0, 1].map((way) => {
    const row = ((way * nMoment + step) * n + asked) * n;
    const read = way ? draws[draw % nDraw] : null;
    const digit = answers.data[row + (read ?? 0)];
    return {
      weights: [...weights.data.slice(row, row + n)],
      read,
      digit,
      isRight: String(digit) === cards[asked].slice(1),
      times: cards.map((_, card) => (way ? draws.filter((one) => one === card).length : 0)),
    };
  });
}

/** The right answers of one way, at each moment. */
export function rightOf({ right }, way) {
  const n = right.shape[1];
  return [...right.data.slice(way * n, (way + 1) * n)];
}
