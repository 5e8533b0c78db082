/** A card's height in px until one has been measured. */
const USUAL_HEIGHT = 300;

export interface CardRange {
  readonly from: number;
  /** The index after the last card. */
  readonly to: number;
}

/** The cards to render, and the heights in px to reserve for those above and below. */
export interface NearCards extends CardRange {
  readonly above: number;
  readonly below: number;
}

/** The position of a list of cards, in px. */
export interface CardPlace {
  /** The top of the list, from the top of the window. */
  readonly top: number;
  readonly windowHeight: number;
  /** The heights of the measured cards, by index; the others count as the mean of these. */
  readonly heights: readonly number[];
}

/**
 * Returns the cards in the window, or within its height above or below; at least one.
 * @param kept cards that must be included
 */
export function nearCards(count: number, { top, windowHeight, heights }: CardPlace, kept?: CardRange): NearCards {
  const known = heights.filter((height) => height > 0);
  const usual = known.length === 0 ? USUAL_HEIGHT : known.reduce((sum, height) => sum + height) / known.length;
  /** The upper edges of all cards, then the lower edge of the last one. */
  const edges = [0];
  for (let card = 0; card < count; card++) edges.push((edges[card] ?? 0) + (heights[card] ?? usual));
  const edge = (card: number): number => edges[card] ?? 0;

  let from = 0;
  while (from < count - 1 && top + edge(from + 1) < -windowHeight) from++;
  let to = Math.min(from + 1, count);
  while (to < count && top + edge(to) <= 2 * windowHeight) to++;
  from = Math.min(from, kept?.from ?? from);
  to = Math.min(Math.max(to, kept?.to ?? to), count);
  return { from, to, above: edge(from), below: edge(count) - edge(to) };
}
