// The toy model of superposition and its expected loss, as in `core/rooms/circuits/experiments/superposition.py`. Pure.

/** Inner products of the columns of W (H rows of N): n x n numbers, row by row. */
export function products(weight) {
  const n = weight[0].length;
  const found = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) found.push(weight.reduce((sum, row) => sum + row[i] * row[j], 0));
  }
  return found;
}

/**
 * The loss over every way in which features can be there, each as likely as it is.
 * @param {{weight: number[][], bias: number[], relu: boolean, often: number}} toy
 * @param {number[][]} values of the features where they are there
 * @param {number[]} importance
 */
export function loss({ weight, bias, relu, often }, values, importance) {
  const n = bias.length;
  const product = products(weight);
  let total = 0;
  for (let pattern = 0; pattern < 2 ** n; pattern++) {
    const there = [...Array(n).keys()].filter((i) => (pattern >> i) & 1);
    const chance = often ** there.length * (1 - often) ** (n - there.length);
    if (!chance) continue;
    let sum = 0;
    for (const x of values) {
      for (let j = 0; j < n; j++) {
        let back = bias[j];
        for (const i of there) back += x[i] * product[i * n + j];
        const wrong = ((pattern >> j) & 1 ? x[j] : 0) - (relu ? Math.max(0, back) : back);
        sum += importance[j] * wrong * wrong;
      }
    }
    total += (chance * sum) / values.length;
  }
  return total;
}

/** Arrows seen from the front, after a turn about the upright axis and a tilt (radians): [x, y, depth] of each. */
export function seen(weight, turn, tilt) {
  const [cos, sin, up, lean] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
  return weight[0].map((_, i) => {
    const [x, y, z] = [weight[0][i], weight[1][i], weight[2]?.[i] ?? 0];
    if (!weight[2]) return [x * cos - y * sin, x * sin + y * cos, 0];
    const [a, b] = [x * cos + z * sin, z * cos - x * sin];
    return [a, y * up - b * lean, y * lean + b * up];
  });
}

/** Pairs of arrows whose tips are neighbors: both are kept, and no right angle or more lies between them. */
export function edges(weight) {
  const n = weight[0].length;
  const product = products(weight);
  const long = [...Array(n).keys()].map((i) => Math.sqrt(product[i * n + i]));
  const found = [];
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      if (long[i] > 0.5 && long[j] > 0.5 && product[i * n + j] > -0.1 * long[i] * long[j]) found.push([i, j]);
    }
  }
  return found;
}
