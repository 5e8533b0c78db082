import { type AxeResults, source } from 'axe-core';
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import { visit } from './browser.ts';
import type { Login } from './demo.ts';
import { addPerson, shareScene } from './scene.ts';
import { missedScreens } from './screens.ts';
import { walk } from './walk.ts';
import { untilStill } from './walk-steps.ts';

/**
 * Checks every screen and state, light and dark, on desktop and phone.
 * By axe, by sideways scrolling, by squeezed texts, and by the console.
 */
const kaitaku = shareScene();

/** Without frames: the only one holds a mail, in which no script runs, so neither does axe. */
const OPTIONS = { iframes: false, preload: false, resultTypes: ['violations'] };
/** Rules that depend on the colour scheme. */
const COLORS = { ...OPTIONS, runOnly: ['color-contrast'] };

/** Keeps only the first rows of a list, as the others look the same. */
async function shorten(route: Route): Promise<void> {
  const response = await route.fetch();
  const { rows, ...rest } = (await response.json()) as { rows: unknown[] };
  await route.fulfill({ response, json: { ...rest, rows: rows.slice(0, 3) } });
}

async function faultsOf(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  await page.emulateMedia({ colorScheme });
  await untilStill(page);
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source);
  const options = JSON.stringify(colorScheme === 'light' ? OPTIONS : COLORS);
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${colorScheme} ${id}: ${target.join(' ')} ${failureSummary}`),
    );
}

/** Finds elements wider than their place: the page, its main part (which scrolls on desktop), a dialog. */
const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll('main, [role=dialog]')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ localName, scrollWidth, clientWidth }) => localName + ' is ' + scrollWidth + ' px wide in ' + clientWidth + ' px')`;

/**
 * Returns layout shifts without recent input since the last call, or since the page opened.
 * Not a script that starts with the page: it would run in the frames of the mails too.
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
 * The score of a screen up to which Cumulative Layout Shift is good.
 * On a slow machine the effect of a click may come after the half second in which the browser counts a shift as
 * expected.
 */
const MAX_SHIFT = 0.1;

async function jumps(page: Page): Promise<string[]> {
  const shifts = await page.evaluate<{ value: number; of: string[] }[]>(TAKE_SHIFTS);
  const sum = shifts.reduce((total, { value }) => total + value, 0);
  return sum > MAX_SHIFT ? [`jumps by ${sum.toFixed(3)}: ${JSON.stringify(shifts)}`] : [];
}

/**
 * Finds elements that are cut off or covered when scrolled to the middle of the window.
 * Checks all controls and labels, within the dialog where one is open. Toasts disappear by themselves, and rows of a
 * list scroll.
 */
const OVERLAPPED = `(() => {
  const scrolled = [...document.querySelectorAll('*')].filter((element) => element.scrollTop > 0).map((element) => [element, element.scrollTop]);
  const shown = document.querySelector('[role=dialog]') ?? document.querySelector('#root');
  const found = [...shown.querySelectorAll('button, a, input, select, textarea, label, legend, h1, h2, dt, dd')]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('tbody, thead, .visually-hidden, [href="#main"]'))
    .flatMap((element) => {
      const { overflowX, textOverflow } = getComputedStyle(element);
      const isField = /input|select|textarea/.test(element.localName);
      const isCut = !isField && overflowX !== 'visible' && textOverflow !== 'ellipsis' && element.scrollWidth > element.clientWidth + 1;
      element.scrollIntoView({ block: 'center', inline: 'center' });
      const { x, y, width, height } = element.getBoundingClientRect();
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      const isCovered = width > 0 && top !== null && !element.contains(top) && !top.contains(element) && !top.closest('[role=alert], [role=status]');
      return [isCut && 'is cut', isCovered && 'lies under ' + (top.className || top.localName)].filter(Boolean)
        .map((fault) => element.localName + ' ' + (element.innerText || element.id).slice(0, 20) + ' ' + fault);
    });
  for (const element of document.querySelectorAll('*')) if (element.scrollTop > 0) element.scrollTop = 0;
  for (const [element, top] of scrolled) element.scrollTop = top;
  return found;
})()`;

/** Finds texts in too narrow a column: five lines or more in less than a third of the window. */
const SQUEEZED = `[...document.querySelectorAll('p, dd, dt, li, label, legend, strong')]
  .filter((element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && width < innerWidth / 3 && height >= 5 * 15 && element.children.length === 0;
  })
  .map((element) => element.localName + ' ' + element.innerText.slice(0, 20) + ' is squeezed')`;

/** Finds lists that show fewer than four rows although they have more. */
const LOW_LISTS = `[...document.querySelectorAll('table')]
  .filter(({ offsetHeight, parentElement }) => parentElement.clientHeight + 1 < Math.min(offsetHeight, 5 * 31))
  .map(({ offsetHeight, parentElement }) => 'a list of ' + offsetHeight + ' px is ' + parentElement.clientHeight + ' px high')`;

/** Finds lists with an empty panel below their end that is higher than a scroll bar. */
const TALL_LISTS = `[...document.querySelectorAll('[aria-busy=false] table:has(tbody tr)')]
  .map((table) => [table.offsetHeight, table.closest('[aria-busy]').clientHeight])
  .filter(([rows, panel]) => panel > rows + 20)
  .map(([rows, panel]) => 'a list of ' + rows + ' px is in a panel of ' + panel + ' px')`;

interface Size {
  readonly width: number;
  readonly height: number;
}

const DESK: Size = { width: 1440, height: 900 };
/** The desktop at a zoom of 200 %. */
const ZOOMED: Size = { width: 720, height: 450 };
const PHONE: Size = { width: 390, height: 844 };

async function illFitting(page: Page, size: Size): Promise<string[]> {
  await page.setViewportSize(size);
  const found = await Promise.all(
    [TOO_WIDE, SQUEEZED, LOW_LISTS, TALL_LISTS].map((script) => page.evaluate<string[]>(script)),
  );
  return found.flat();
}

/** What the walk causes on purpose: refused input, an ended session, answers and a screen that never arrive. */
const EXPECTED = /status of 40[01349]|net::ERR_FAILED|dynamically imported module/;

/** Checks each state in all sizes, and by axe in the first. @param sizes the window sizes */
async function checkStates(login: Login, sizes: readonly [Size, ...Size[]]): Promise<string[]> {
  const [viewport, ...others] = sizes;
  const { page, leave } = await visit(kaitaku.browser, `${kaitaku.url}/login`, viewport);
  // Without transitions, so that colours are final at once.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.route(/\/api\/v1\/(prospect\/view|attack_list\/left_out)\?/, shorten);
  const faults: string[] = [];
  const visited: string[] = [];
  for await (const screen of walk(page, kaitaku.url, login)) {
    visited.push(page.url());
    const report = (found: readonly string[], { width }: Size) =>
      faults.push(...found.map((fault) => `${screen} at ${width} px: ${fault}`));
    report(await jumps(page), viewport);
    for (const size of others)
      report([...(await illFitting(page, size)), ...(await page.evaluate<string[]>(OVERLAPPED))], size);
    // The walk continues in the first size.
    report(await illFitting(page, viewport), viewport);
    for (const scheme of ['dark', 'light'] as const) report(await faultsOf(page, scheme), viewport);
    await page.evaluate(TAKE_SHIFTS);
  }
  await leave(EXPECTED);
  return [...faults, ...missedScreens(visited).map((screen) => `${screen} was not visited`)];
}

test('no screen has a serious or critical fault, jumps or is wider than its window, on a desk, zoomed and on a phone', {
  timeout: 480_000,
}, async () => {
  // A separate person for the phone, so that neither walk sees the other's reservations.
  const onPhone = await addPerson(kaitaku, 'phone@example.com');
  const faults = await Promise.all([checkStates(DEMO_LOGIN, [DESK, ZOOMED]), checkStates(onPhone, [PHONE])]);
  expect(faults.flat()).toStrictEqual([]);
});
