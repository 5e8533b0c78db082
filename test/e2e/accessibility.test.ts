import { type AxeResults, source } from 'axe-core';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from './browser.ts';
import { type RunningKaitaku, startFresh } from './fresh-start.ts';
import { untilStill, walk } from './walk.ts';

/** Every screen and state, judged by axe: nothing serious or critical, light and dark, on a desk and on a phone. */
let browser: Browser;
/** One each, so that neither walk meets what the other has reserved. */
let desk: RunningKaitaku;
let phone: RunningKaitaku;

beforeAll(async () => {
  [browser, desk, phone] = await Promise.all([launchBrowser(), startFresh(), startFresh()]);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([desk?.stop(), phone?.stop()]);
});

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

async function judge({ url }: RunningKaitaku, viewport: { width: number; height: number }): Promise<string[]> {
  const context = await browser.newContext({ locale: 'ja-JP', timezoneId: 'Asia/Tokyo', viewport });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.route(/\/api\/v1\/(prospect\/view|attack_list\/left_out)\?/, shorten);
  const faults: string[] = [];
  for await (const screen of walk(page, url)) {
    for (const scheme of ['dark', 'light'] as const) {
      for (const fault of await faultsOf(page, scheme)) faults.push(`${screen} at ${viewport.width} px, ${fault}`);
    }
  }
  await context.close();
  return faults;
}

test('axe finds nothing serious or critical on any screen, on a desk and on a phone, light and dark', {
  timeout: 480_000,
}, async () => {
  const faults = await Promise.all([
    judge(desk, { width: 1440, height: 900 }),
    judge(phone, { width: 390, height: 844 }),
  ]);
  expect(faults.flat()).toStrictEqual([]);
});
