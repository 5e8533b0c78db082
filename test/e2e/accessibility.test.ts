import { type AxeResults, source } from 'axe-core';
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import { visit } from './browser.ts';
import type { Login } from './demo.ts';
import { addPerson, shareScene } from './scene.ts';
import { untilStill, walk } from './walk.ts';

/**
 * Every screen and state, light and dark, on a desk and on a phone: judged by axe, by whether it must be scrolled sideways to be read,
 * and by its console.
 */
const kaitaku = shareScene();

/** Frames are left out: the one there is holds a mail, in which no script runs, axe neither. */
const OPTIONS = { iframes: false, preload: false, resultTypes: ['violations'] };
/** All that depends on the scheme. */
const COLORS = { ...OPTIONS, runOnly: ['color-contrast'] };

/** The first rows of a list speak for all of them. */
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

/** What is wider than its place: the page, its main part (which scrolls on a desk), a dialog. */
const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll('main, [role=dialog]')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ localName, scrollWidth, clientWidth }) => localName + ' is ' + scrollWidth + ' px wide in ' + clientWidth + ' px')`;

interface Size {
  readonly width: number;
  readonly height: number;
}

const DESK: Size = { width: 1440, height: 900 };
/** The desk at a zoom of 200 %. */
const ZOOMED: Size = { width: 720, height: 450 };
const PHONE: Size = { width: 390, height: 844 };

async function tooWide(page: Page, size: Size): Promise<string[]> {
  await page.setViewportSize(size);
  return page.evaluate<string[]>(TOO_WIDE);
}

/** What the walk brings about: input that is refused, a session that is over, answers that never come. */
const EXPECTED = /status of 40[01]|net::ERR_FAILED/;

/** @param sizes each state is looked at in all of them, and by axe in the first */
async function judge(login: Login, sizes: readonly [Size, ...Size[]]): Promise<string[]> {
  const [viewport, ...others] = sizes;
  const { page, leave } = await visit(kaitaku.browser, `${kaitaku.url}/login`, viewport);
  // Colours are final at once.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.route(/\/api\/v1\/(prospect\/view|attack_list\/left_out)\?/, shorten);
  const faults: string[] = [];
  for await (const screen of walk(page, kaitaku.url, login)) {
    const tell = (found: readonly string[], { width }: Size) =>
      faults.push(...found.map((fault) => `${screen} at ${width} px: ${fault}`));
    // The walk goes on in the first.
    for (const size of [...others, viewport]) tell(await tooWide(page, size), size);
    for (const scheme of ['dark', 'light'] as const) tell(await faultsOf(page, scheme), viewport);
  }
  await leave(EXPECTED);
  return faults;
}

test('no screen has a serious or critical fault or is wider than its window, on a desk, zoomed and on a phone', {
  timeout: 480_000,
}, async () => {
  // Neither walk meets what the other has reserved.
  const onPhone = await addPerson(kaitaku, 'phone@example.com');
  const faults = await Promise.all([judge(DEMO_LOGIN, [DESK, ZOOMED]), judge(onPhone, [PHONE])]);
  expect(faults.flat()).toStrictEqual([]);
});
