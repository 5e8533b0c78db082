import { isNarrowScreen } from './narrow-screen.ts';

export const TOAST_POSITIONS = ['top', 'top-left', 'top-right', 'bottom', 'bottom-left', 'bottom-right'] as const;
export type ToastPosition = (typeof TOAST_POSITIONS)[number];

export interface ToastPlace {
  readonly position: ToastPosition;
  /** How far it is from the edge of the window, in px. */
  readonly offset: number;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** As in toasts.module.css; the header is a phone's. */
const WIDTH = 380;
const GAP = 16;
const HEADER = 60;
/** The height of a message's lines, and about how many letters fit into one. */
const LINE = 20;
const LETTERS = 22;

const STEP = 8;
/** From the edge, in px, and no further than half of the window. */
const MAX_OFFSET = 320;

const CONTROLS = 'a[href], button, input, select, textarea, summary, [data-code-editor]';
/** Toasts themselves, which may be stacked, and what is read out but not seen. */
const NO_CONTROLS = '[aria-atomic="false"], .visually-hidden';

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** What covering a control costs: the most where a person is, the least in a list, whose rows are many and scroll. */
const WEIGHTS = { focused: 1000, page: 8, row: 1 } as const;

interface Control {
  readonly box: Box;
  readonly weight: number;
}

/** Returns what can be pressed in the window. */
function controlsOf(page: Document): Control[] {
  return [...page.querySelectorAll(CONTROLS)]
    .filter((control) => control.closest(NO_CONTROLS) === null)
    .map((control) => ({
      box: control.getBoundingClientRect(),
      weight: WEIGHTS[control === page.activeElement ? 'focused' : control.closest('tbody') === null ? 'page' : 'row'],
    }))
    .filter(({ box: { width, top, bottom } }) => width > 0 && bottom > 0 && top < innerHeight);
}

/** Returns about how high toasts are that stand together. */
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
 * Returns the first place at which a toast covers nothing that can be pressed, from the edge inwards.
 * On a wide screen that begins at the bottom left, on a phone at the top: its buttons are at the bottom. Where all
 * places cover something, it is the one that covers the least, and never the control that has the focus.
 *
 * @param height of the toast, with those that it joins, in px
 */
export function freePlace(height: (position: ToastPosition) => number): ToastPlace {
  const positions = isNarrowScreen()
    ? (['top', 'bottom'] as const)
    : (['bottom-left', 'bottom', 'bottom-right'] as const);
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
  }
  return best;
}
