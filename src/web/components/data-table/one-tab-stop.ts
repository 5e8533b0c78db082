/** Handles the keyboard of a table (WAI-ARIA grid), with listeners only on the table. */

const CONTROLS = 'a[href], button, input, select, textarea, [role="separator"]';
/** Controls that use the arrow keys themselves. */
const TEXT_CONTROLS = 'select, textarea, input:not([type="checkbox"]), [data-taken]';
/** What lies over the table, as a menu does, and the button that has opened it. */
const OVER = '[popover], :has(+ [popover])';

type Row = HTMLTableRowElement;

const cellOf = (part: Element) => part.closest<HTMLTableCellElement>('td, th');

/** Returns the focusable elements of a cell: its controls, or the cell itself if it has none. */
function stopsOf(cell: HTMLElement): HTMLElement[] {
  const controls = [...cell.querySelectorAll<HTMLElement>(CONTROLS)];
  return controls.length === 0 ? [cell] : controls;
}

const stopsOfRow = (row: Row | undefined): HTMLElement[] => [...(row?.cells ?? [])].flatMap(stopsOf);

const isPlaceholder = (row: Row | null): boolean => row?.getAttribute('aria-hidden') === 'true';

/** Returns the header and the rows, without the placeholders of rows that are loading. */
const rowsOf = (table: HTMLTableElement): Row[] => [...table.rows].filter((row) => !isPlaceholder(row));

/** Yields row by row the stops of a column, then the row's other stops, because a card hides blank cells. */
function* inColumn(rows: readonly Row[], column: number): Generator<HTMLElement> {
  for (const row of rows) {
    const cell = row.cells[column];
    if (cell !== undefined) yield* stopsOf(cell);
    yield* stopsOfRow(row);
  }
}

/** Returns the rows from `steps` below `line` (negative: above) on, then those between. The first may be hidden. */
function rowsFrom(rows: readonly Row[], line: number, steps: number): Row[] {
  const aim = Math.min(Math.max(line + steps, 0), rows.length - 1);
  const [beyond, between] =
    steps < 0 ? [rows.slice(0, aim + 1), rows.slice(aim + 1, line)] : [rows.slice(aim), rows.slice(line + 1, aim)];
  return steps < 0 ? [...beyond.toReversed(), ...between] : [...beyond, ...between.toReversed()];
}

/** Returns the number of rows that PageDown moves by: those in view minus one, which stays visible. */
function rowsInView(table: HTMLTableElement, row: Row): number {
  const height = table.parentElement?.clientHeight ?? 0;
  return Math.max(1, Math.floor(height / Math.max(row.offsetHeight, 1)) - 1);
}

/** Returns the stops that a key leads to, the preferred one first; undefined: the table ignores the key. */
function stopsFor(key: string, isCtrl: boolean, table: HTMLTableElement, from: HTMLElement) {
  const cell = cellOf(from);
  const row = cell?.closest('tr');
  if (!cell || !row) return undefined;
  const rows = rowsOf(table);
  const stops = stopsOfRow(row);
  const place = stops.indexOf(from);
  const vertically = (steps: number) => inColumn(rowsFrom(rows, rows.indexOf(row), steps), cell.cellIndex);
  switch (isCtrl ? `Ctrl+${key}` : key) {
    case 'ArrowLeft':
      return stops.slice(0, place).toReversed();
    case 'ArrowRight':
      return stops.slice(place + 1);
    case 'ArrowUp':
      return vertically(-1);
    case 'ArrowDown':
      return vertically(1);
    case 'PageUp':
      return vertically(-rowsInView(table, row));
    case 'PageDown':
      return vertically(rowsInView(table, row));
    case 'Home':
      return stops;
    case 'End':
      return stops.toReversed();
    case 'Ctrl+Home':
      return inColumn(rows, 0);
    case 'Ctrl+End':
      return stopsOfRow(rows.at(-1)).toReversed();
    default:
      return undefined;
  }
}

/**
 * Focuses a stop and scrolls its whole cell into view.
 * Browsers do not scroll if a part of the cell is visible.
 *
 * @returns whether the stop took the focus: a hidden one does not
 */
function take(stop: HTMLElement): boolean {
  stop.tabIndex = 0;
  stop.focus({ preventScroll: true });
  if (stop === document.activeElement) {
    cellOf(stop)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    return true;
  }
  stop.tabIndex = -1;
  return false;
}

/**
 * Makes a table one Tab stop, with arrow keys inside.
 * ↑↓ move by row, ←→ by cell or control, Home and End to the ends of the row, PageUp and PageDown by the rows in view,
 * with Ctrl to the corners. Enter on a plain cell follows the link of its row header. Controls keep Space and Enter,
 * text fields and the edge that resizes a column all their keys.
 *
 * @returns a function that removes the listeners
 */
export function keepOneTabStop(table: HTMLTableElement): () => void {
  let stop: HTMLElement | undefined;
  let cell: HTMLElement | null = null;
  /** False until the user has focused the table: the stop stays in the first row, also after other rows load. */
  let isChosen = false;

  function moveTo(next: HTMLElement, chosen = true): void {
    if (stop !== undefined) stop.tabIndex = -1;
    stop = next;
    cell = cellOf(next);
    isChosen = chosen;
    stop.tabIndex = 0;
  }

  /** Removes new controls from the Tab order, and replaces a stop that is no longer in the table. */
  function settle(): void {
    for (const control of table.querySelectorAll<HTMLElement>(CONTROLS)) if (control !== stop) control.tabIndex = -1;
    if (isChosen && stop?.isConnected) return;
    const [header, first = header] = rowsOf(table);
    const kept = isChosen && cell?.isConnected ? cell : null;
    const [next] = kept === null ? stopsOfRow(first) : stopsOf(kept);
    if (next !== undefined) moveTo(next, kept !== null);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const from = event.target as HTMLElement;
    const { key, altKey, metaKey, shiftKey, ctrlKey } = event;
    if (altKey || metaKey || shiftKey || from.matches(TEXT_CONTROLS) || from.closest(OVER)) return;
    if (key === 'Enter' && from === cell) from.closest('tr')?.querySelector<HTMLElement>('th a')?.click();
    const stops = stopsFor(key, ctrlKey, table, from);
    if (stops === undefined) return;
    event.preventDefault();
    for (const next of stops) if (take(next)) return;
  }

  const onFocusIn = ({ target }: FocusEvent): void => moveTo(target as HTMLElement);

  /** Focuses a plain cell at a click, as the browser does with a control. */
  function onMouseDown({ target }: MouseEvent): void {
    const clicked = cellOf(target as Element);
    if (clicked === null || isPlaceholder(clicked.closest('tr'))) return;
    if (stopsOf(clicked)[0] === clicked) moveTo(clicked);
  }

  const observer = new MutationObserver(settle);
  observer.observe(table, { childList: true, subtree: true });
  table.addEventListener('keydown', onKeyDown);
  table.addEventListener('focusin', onFocusIn);
  table.addEventListener('mousedown', onMouseDown);
  settle();
  return () => {
    observer.disconnect();
    table.removeEventListener('keydown', onKeyDown);
    table.removeEventListener('focusin', onFocusIn);
    table.removeEventListener('mousedown', onMouseDown);
  };
}
