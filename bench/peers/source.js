// What a method learns from: answers of source models to all items of a scenario.

/**
 * The source models of a cell, dense. A missing answer is the item's mean over the sources that answered it (the peers
 * assume complete matrices), and one that no source answered is .5.
 * @returns answers row by row, the models' full scores, the items' means
 */
export function sourceMatrix(matrix, models) {
  const items = matrix.items.length;
  const scores = new Float64Array(models.length * items);
  const itemMeans = new Float64Array(items);
  const answered = new Float64Array(items);
  const seen = (at) => matrix.observed === null || matrix.observed[at] === 1;
  for (const m of models)
    for (let i = 0; i < items; i++)
      if (seen(m * items + i)) {
        itemMeans[i] += matrix.scores[m * items + i];
        answered[i]++;
      }
  for (let i = 0; i < items; i++) itemMeans[i] = answered[i] > 0 ? itemMeans[i] / answered[i] : 0.5;
  const full = new Float64Array(models.length);
  models.forEach((m, row) => {
    for (let i = 0; i < items; i++) {
      const score = seen(m * items + i) ? matrix.scores[m * items + i] : itemMeans[i];
      scores[row * items + i] = score;
      full[row] += score / items;
    }
  });
  return { models: models.length, items, scores, full, itemMeans };
}

/** Answers of one target to some items, in their order; a missing one is the item's mean over the sources. */
export function targetAnswers(matrix, target, items, { itemMeans }) {
  return Float64Array.from(items, (i) => {
    const at = target * matrix.items.length + i;
    return matrix.observed === null || matrix.observed[at] === 1 ? matrix.scores[at] : itemMeans[i];
  });
}

/** The columns of some items and the rows of some models, row by row. */
export function columnsOf({ items: width, scores, models }, items, rows = Array.from({ length: models }, (_, m) => m)) {
  const out = new Float64Array(rows.length * items.length);
  rows.forEach((m, row) => {
    for (let k = 0; k < items.length; k++) out[row * items.length + k] = scores[m * width + items[k]];
  });
  return out;
}

/** n different items at random, in random order. */
export function randomItems(count, n, random) {
  const items = new Int32Array(count);
  for (let i = 0; i < count; i++) items[i] = i;
  for (let k = 0; k < n; k++) {
    const other = k + random.below(count - k);
    const item = items[k];
    items[k] = items[other];
    items[other] = item;
  }
  return items.slice(0, n);
}

/** Products of the items' columns, centred over some models: N × N. */
export function centredProducts({ items, scores }, rows) {
  const models = rows.length;
  const centre = columnMeans(scores, items, rows);
  const columns = new Float64Array(items * models); // one after the other: they stay in the processor's cache
  for (let m = 0; m < models; m++)
    for (let i = 0; i < items; i++) columns[i * models + m] = scores[rows[m] * items + i] - centre[i];
  const products = new Float64Array(items * items);
  for (let i = 0; i < items; i++)
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let m = 0, left = i * models, right = j * models; m < models; m++) sum += columns[left++] * columns[right++];
      products[i * items + j] = products[j * items + i] = sum;
    }
  return products;
}

/** Means of the columns over some rows. */
export function columnMeans(scores, width, rows) {
  const means = new Float64Array(width);
  for (const m of rows) for (let i = 0; i < width; i++) means[i] += scores[m * width + i] / rows.length;
  return means;
}
