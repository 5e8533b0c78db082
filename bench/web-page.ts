import type { BrowserContext, CDPSession, Page } from 'playwright-core';

/** Measures inside a page: from an input, or its answer, to the frame that shows the result. */

/** Times in milliseconds. */
export interface Times {
  readonly fromInput: number;
  /** From the answer of the list call: until its visible part is painted, and until all its rows are rendered. */
  readonly fromAnswer: number;
  readonly whole?: number;
}

export interface Shown extends Times {
  /** Work of the page's main thread, excluding waits for the busy machine. */
  readonly work: number;
}

/** Returns a promise for the time of the next painted frame: a message sent in a frame arrives after its paint. */
export const PAINTED = `() => new Promise((done) => requestAnimationFrame(() => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => done(performance.now());
  port2.postMessage(null);
}))`;

/** The script that runs before the page's own. Times start at the navigation, and after begin() at the first input. */
export const WATCH = `{
  let begun = 0;
  for (const kind of ['keydown', 'click']) addEventListener(kind, (event) => { begun ||= event.timeStamp; }, true);
  const painted = ${PAINTED};
  const answers = () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/prospect/view'));
  const until = async (isTrue) => {
    await new Promise((done) => {
      const look = () => { if (isTrue()) { observer.disconnect(); done(); } };
      const observer = new MutationObserver(look);
      observer.observe(document, { subtree: true, childList: true, attributes: true });
      document.addEventListener('input', look, { once: true });
      look();
    });
    const end = await painted();
    return { fromInput: end - begun, fromAnswer: end - (answers().at(-1)?.responseEnd ?? end) };
  };
  window.watch = {
    begin: () => { begun = 0; performance.clearResourceTimings(); },
    list: async (count) => {
      const rows = () => document.querySelectorAll('tbody tr:not([aria-hidden])').length;
      const isThere = () => answers().length > 0 && document.querySelector('[data-on=true]') === null && rows() > 0;
      const isWhole = () => isThere() && document.querySelector('[aria-busy=true]') === null && rows() >= count;
      const [seen, { fromAnswer }] = await Promise.all([until(isThere), until(isWhole)]);
      return { ...seen, whole: fromAnswer };
    },
    switched: (row, value) =>
      until(() => document.querySelectorAll('tbody [role=switch]')[row]?.getAttribute('aria-checked') === value),
    /** The lower bound for showing such a page: a table with as many plain texts. */
    bareTable: (rows) => {
      begun = performance.now();
      const body = document.createElement('tbody');
      for (let row = 0; row < rows; row += 1) {
        const cells = body.insertRow();
        for (let column = 0; column < 17; column += 1) cells.insertCell().textContent = '株式会社架空商事 ' + row * column;
      }
      const table = document.createElement('table');
      table.append(body);
      document.body.replaceChildren(table);
      return until(() => true);
    },
    value: (selector, value) => until(() => document.querySelector(selector)?.value === value),
  };
}`;

/** A page with measuring functions. */
export interface Watched {
  readonly page: Page;
  readonly inspector: CDPSession;
}

export async function watchPage(context: BrowserContext): Promise<Watched> {
  const page = await context.newPage();
  const inspector = await context.newCDPSession(page);
  // Counts only the work of the page's own thread, without waits for other programs on a busy machine.
  await inspector.send('Performance.enable', { timeDomain: 'threadTicks' });
  return { page, inspector };
}

async function worked({ inspector }: Watched): Promise<number> {
  const { metrics } = await inspector.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
}

/**
 * Measures the effect of an input.
 * @param wanted a call of window.watch
 */
export async function shown(watched: Watched, act: () => Promise<unknown>, wanted: string): Promise<Shown> {
  await watched.page.evaluate('watch.begin()');
  const before = await worked(watched);
  const times = watched.page.evaluate<Times>(`watch.${wanted}`);
  await act();
  return { ...(await times), work: (await worked(watched)) - before };
}

/** Measures the effect of the previous input, or of a navigation. */
export async function shownLater(watched: Watched, wanted: string, act = async () => {}): Promise<Shown> {
  const before = await worked(watched);
  await act();
  const times = await watched.page.evaluate<Times>(`watch.${wanted}`);
  return { ...times, work: (await worked(watched)) - before };
}
