import type { Column } from './column.ts';
import { textWidth } from './tracks.ts';

/** Returns a column of plain texts, which fits them by default. */
export const textColumn = <Row>(
  id: string,
  header: string,
  text: (row: Row) => string,
  more: Partial<Column<Row>> = {},
): Column<Row> => ({ id, header, width: 48, fits: text, render: text, ...more });

/** The width of a badge and of a quiet button beside their words, in px. */
export const BADGE_EDGES = 28;
export const BUTTON_EDGES = 18;

/** Returns a text as wide as the buttons of a column of acts: a full-width space stands for a gap. */
export const asButtons = (labels: readonly string[]): string => labels.join('\u3000');

/** Returns the widest of some texts, as those of badges. */
export const widestOf = (texts: readonly string[]): string =>
  texts.reduce((widest, text) => (textWidth(text) > textWidth(widest) ? text : widest), '');
