import type { Page } from 'playwright-core';

/** Finds elements wider than their container: the page, its main part (which scrolls on desktops), a dialog. */
const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll('main, dialog, [role=dialog]')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ localName, scrollWidth, clientWidth }) => localName + ' is ' + scrollWidth + ' px wide in ' + clientWidth + ' px')`;

/**
 * Returns layout shifts without recent input since the last call, or since the page opened.
 * Not as a script that starts with the page: it would also run in the frames of mails.
 */
const TAKE_SHIFTS = `(async () => {
  window.shifts ??= new class {
    seen = [];
    keep = (entries) => this.seen.push(...entries.filter(({ hadRecentInput }) => !hadRecentInput));
    observer = new PerformanceObserver((list) => this.keep(list.getEntries()));
    constructor() { this.observer.observe({ type: 'layout-shift', buffered: true }); }
  };
  // Earlier shifts arrive in a task of their own.
  await new Promise((done) => setTimeout(done));
  shifts.keep(shifts.observer.takeRecords());
  return shifts.seen.splice(0).map(({ value, sources }) => ({ value, of: sources.map(({ node }) =>
    (node?.className || node?.parentElement?.className || node?.nodeName) ?? 'gone') }));
})()`;

/**
 * The score up to which a screen's Cumulative Layout Shift is good.
 * On a slow machine the effect of a click may come after the half second in which the browser expects a shift.
 */
const MAX_SHIFT = 0.1;

/** Returns the layout shifts since the last call, if their sum exceeds the limit. */
export async function jumps(page: Page, max = MAX_SHIFT): Promise<string[]> {
  const shifts = await page.evaluate<{ value: number; of: string[] }[]>(TAKE_SHIFTS);
  const sum = shifts.reduce((total, { value }) => total + value, 0);
  return sum > max ? [`jumps by ${sum.toFixed(3)}: ${JSON.stringify(shifts)}`] : [];
}

/**
 * Finds elements that are cut off or covered when scrolled to the middle of the window.
 * Checks all controls and labels, within an open dialog if there is one. Ignores toasts, which disappear, open menus,
 * which close, and rows of a list, which scroll.
 */
const OVERLAPPED = `(() => {
  const OVERLAY = '[role=alert], [role=status], [aria-expanded=true]:not([aria-controls]) + *';
  const scrolled = [...document.querySelectorAll('*')].filter((element) => element.scrollTop > 0).map((element) => [element, element.scrollTop]);
  const shown = [...document.querySelectorAll('body > dialog, [role=dialog]')].at(-1) ?? document.querySelector('dialog[open]') ?? document.querySelector('#root') ?? document.body;
  const found = [...shown.querySelectorAll('button, a, input, select, textarea, label, legend, h1, h2, dt, dd')]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('tbody, thead, .visually-hidden, [href="#main"]'))
    .flatMap((element) => {
      const { overflowX, textOverflow } = getComputedStyle(element);
      const isField = /input|select|textarea/.test(element.localName);
      const isCut = !isField && overflowX !== 'visible' && textOverflow !== 'ellipsis' && element.scrollWidth > element.clientWidth + 1;
      element.scrollIntoView({ block: 'center', inline: 'center' });
      const { x, y, width, height } = element.getBoundingClientRect();
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      const isCovered = width > 0 && top !== null && !element.contains(top) && !top.contains(element) && !top.closest(OVERLAY);
      return [isCut && 'is cut', isCovered && 'lies under ' + (top.className || top.localName)].filter(Boolean)
        .map((fault) => element.localName + ' ' + (element.innerText || element.id).slice(0, 20) + ' ' + fault);
    });
  for (const element of document.querySelectorAll('*')) if (element.scrollTop > 0) element.scrollTop = 0;
  for (const [element, top] of scrolled) element.scrollTop = top;
  return found;
})()`;

/** Finds texts in too narrow a column: at least five lines, on less than a third of the window's width. */
const SQUEEZED = `[...document.querySelectorAll('p, dd, dt, li, label, legend, strong')]
  .filter((element) => {
    const { width, height } = element.getBoundingClientRect();
    const line = parseFloat(getComputedStyle(element).lineHeight);
    return width > 1 && width < innerWidth / 3 && height >= 5 * line && element.children.length === 0;
  })
  .map((element) => element.localName + ' ' + element.innerText.slice(0, 20) + ' is squeezed')`;

/**
 * Finds buttons whose text is wider than their room, and buttons of a dialog's foot less than 8 px apart.
 * A text that ends in an ellipsis inside the button (a name) is cut on purpose.
 */
const CUT_BUTTONS = `(() => {
  const isCut = (button) => {
    const texts = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
    const { left, right } = button.getBoundingClientRect();
    const { paddingLeft, paddingRight } = getComputedStyle(button);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.parentElement.closest('.visually-hidden')) continue;
      let part = text.parentElement;
      while (part !== button && getComputedStyle(part).textOverflow !== 'ellipsis') part = part.parentElement;
      if (part !== button) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const box = range.getBoundingClientRect();
      if (box.width > 0 && (box.left < left + parseFloat(paddingLeft) - 1 || box.right > right - parseFloat(paddingRight) + 1)) return true;
    }
    return false;
  };
  const apart = (box, other) => Math.max(other.left - box.right, box.left - other.right, other.top - box.bottom, box.top - other.bottom);
  const glued = [...document.querySelectorAll('[data-dialog-foot]')].flatMap((foot) => {
    const buttons = [...foot.querySelectorAll('button, a')].filter((button) => button.checkVisibility() && !button.closest('[popover]'));
    return buttons.flatMap((button, at) => buttons.slice(at + 1)
      .filter((other) => apart(button.getBoundingClientRect(), other.getBoundingClientRect()) < 7.5)
      .map((other) => 'button ' + button.innerText + ' touches ' + other.innerText));
  });
  const shown = [...document.querySelectorAll('button:not([data-resizable] thead *)')].filter((button) => button.checkVisibility({ visibilityProperty: true }));
  return [...shown.filter(isCut).map((button) => 'button ' + button.innerText.slice(0, 20) + ' is cut'), ...glued];
})()`;

/**
 * Finds cells of what is on top that cut their content. Columns may that say so (Column.cut), and those of the list of
 * companies, whose widths the user chooses.
 */
const CUT_CELLS = `[...([...document.querySelectorAll('dialog:modal')].at(-1) ?? document)
  .querySelectorAll('table:not([data-resizable]) tbody :is(td, th)')]
  .filter((cell) => cell.checkVisibility() && cell.scrollWidth > cell.clientWidth + 1)
  .filter((cell) => !cell.closest('table').querySelectorAll('thead th')[cell.cellIndex]?.hasAttribute('data-cut'))
  .map((cell) => 'cell ' + cell.innerText.slice(0, 20) + ' is cut')`;

/** Finds lists that show fewer than four of their rows. */
const LOW_LISTS = `[...document.querySelectorAll('table')]
  .filter(({ offsetHeight, parentElement }) => parentElement.clientHeight + 1 < Math.min(offsetHeight, 5 * 31))
  .map(({ offsetHeight, parentElement }) => 'a list of ' + offsetHeight + ' px is ' + parentElement.clientHeight + ' px high')`;

/** Finds lists with an empty panel below their end that is higher than a scroll bar. */
const TALL_LISTS = `[...document.querySelectorAll('[aria-busy=false] table:has(tbody tr)')]
  .map((table) => [table, table.closest('[aria-busy]')])
  .filter(([, panel]) => panel.querySelectorAll('table').length === 1)
  .map(([table, panel]) => [table.offsetHeight, panel.clientHeight])
  .filter(([rows, panel]) => panel > rows + 20)
  .map(([rows, panel]) => 'a list of ' + rows + ' px is in a panel of ' + panel + ' px')`;

/** Finds table cells that cut their time. */
const CUT_TIMES = `[...document.querySelectorAll('td')]
  .filter((cell) => /[0-9]{4}[/][0-9]{2}[/][0-9]{2}/.test(cell.innerText))
  .filter((cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    const { paddingLeft, paddingRight } = getComputedStyle(cell);
    return text.getBoundingClientRect().width > cell.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) + 1;
  })
  .map((cell) => cell.innerText + ' is cut')`;

/** Returns the times that lists cut. */
export const cutTimes = (page: Page): Promise<string[]> => page.evaluate(CUT_TIMES);

/** Returns the elements that need sideways scrolling. */
export const tooWide = (page: Page): Promise<string[]> => page.evaluate(TOO_WIDE);

/** Returns what does not fit into the window. @param overlaps also what is covered or cut when scrolled to */
export const illFitting = (page: Page, overlaps: boolean): Promise<string[]> =>
  page.evaluate(
    `[${[TOO_WIDE, SQUEEZED, LOW_LISTS, TALL_LISTS, ...(overlaps ? [OVERLAPPED] : [])].map((script) => `...${script}`).join(', ')}]`,
  );

/** Returns the buttons and cells of tables that do not show their whole text. */
export const cutTexts = (page: Page): Promise<string[]> => page.evaluate(`[...${CUT_BUTTONS}, ...${CUT_CELLS}]`);
