import { isNarrowScreen } from './narrow-screen.ts';

export const TOAST_POSITIONS = ['top', 'top-left', 'top-right', 'bottom', 'bottom-left', 'bottom-right'] as const;
export type ToastPosition = (typeof TOAST_POSITIONS)[number];

export interface ToastPlace {
  readonly position: ToastPosition;
  /** The distance from the edge of the window in px. */
  readonly offset: number;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The width is that of toasts.module.css; the header's height is that on a phone. */
const WIDTH = 380;
const GAP = 16;
const HEADER = 60;
/** The height of a line, and about how many letters fit into one. */
const LINE = 20;
const LETTERS = 22;

const STEP = 8;
/** The largest distance from the edge in px, at most half of the window. */
const MAX_OFFSET = 320;

/** The drawer counts as one, so that no toast lies half over its edge. */
const CONTROLS =
  'a[href], button, input, select, textarea, summary, [data-code-editor], dialog[open]:not([aria-modal])';
/** Elements that do not count: toasts, which may be stacked, and visually hidden texts. */
const NO_CONTROLS = '[aria-atomic="false"], .visually-hidden';

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** The cost of covering a control: no number of rows, which scroll, outweighs one control of the page. */
const WEIGHTS = { focused: 100_000, page: 1000, row: 1 } as const;

interface Control {
  readonly box: Box;
  readonly weight: number;
}

/** Returns the visible controls of the window. */
function controlsOf(page: Document): Control[] {
  return [...page.querySelectorAll(CONTROLS)]
    .filter((control) => control.closest(NO_CONTROLS) === null)
    .map((control) => ({
      box: control.getBoundingClientRect(),
      weight: WEIGHTS[control === page.activeElement ? 'focused' : control.closest('tbody') === null ? 'page' : 'row'],
    }))
    .filter(({ box: { width, top, bottom } }) => width > 0 && bottom > 0 && top < innerHeight);
}

/** Returns the approximate height of stacked toasts. */
export function heightOf(messages: readonly string[]): number {
  const heights = messages.map((message) => {
    const lines = message.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LETTERS)), 0);
    return Math.max(48, GAP + LINE * lines);
  });
  return heights.reduce((sum, height) => sum + height + GAP, -GAP);
}

function boxAt({ position, offset }: ToastPlace, height: number): Box {
  const width = Math.min(WIDTH, innerWidth - 2 * GAP);
  const left = position.endsWith('left')
    ? GAP
    : position.endsWith('right')
      ? innerWidth - GAP - width
      : (innerWidth - width) / 2;
  const top = position.startsWith('top') ? HEADER + offset : innerHeight - GAP - offset - height;
  return { left, top, right: left + width, bottom: top + height };
}

/**
 * Returns the place of a toast: in the middle at the bottom, on a phone at the top, because its buttons are at the
 * bottom. From the edge inwards it covers no control, or else rows of a list alone. If there is no such place, others
 * are tried, and the one with the lowest cost is returned, which never covers the focused control.
 *
 * @param height of the toast with those at the same position, in px
 */
export function freePlace(height: (position: ToastPosition) => number): ToastPlace {
  const positions = isNarrowScreen()
    ? (['top', 'bottom'] as const)
    : (['bottom', 'bottom-left', 'bottom-right'] as const);
  const controls = controlsOf(document);
  let best: ToastPlace = { position: positions[0], offset: 0 };
  let least = Number.POSITIVE_INFINITY;
  for (const position of positions) {
    for (let offset = 0; offset <= Math.min(MAX_OFFSET, innerHeight / 2); offset += STEP) {
      const box = boxAt({ position, offset }, height(position));
      const covered = controls.filter((control) => overlaps(box, control.box));
      const weight = covered.reduce((sum, control) => sum + control.weight, 0);
      if (weight < least) [best, least] = [{ position, offset }, weight];
      if (least === 0) return best;
    }
    if (least < WEIGHTS.page) return best;
  }
  return best;
}
