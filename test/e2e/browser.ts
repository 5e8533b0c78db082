import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page, type Route } from 'playwright-core';
import { expect } from 'vitest';

const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Quiet about everything that is not the page; the sandbox needs rights that a container's root has not. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @throws where no Chromium is installed: `npm test` installs it or says how */
export function launchBrowser(): Promise<Browser> {
  const executablePath = CANDIDATES.find((path) => path !== undefined && existsSync(path));
  if (!executablePath) throw new Error('Chromium is not installed: run `npm test`');
  return chromium.launch({ executablePath, args: FLAGS });
}

export interface Visit {
  readonly page: Page;
  /**
   * Closes the page and those opened from it; what any of them complained of on its console, or refused by its security
   * policy, is a failure. Chromium complains there of every answer that is not 2xx too: those that the test is about
   * are named.
   */
  leave(expected?: RegExp): Promise<void>;
}

/** A page as a person opens it who reads Japanese, with nothing stored. */
export async function visit(
  browser: Browser,
  url: string,
  viewport = { width: 1440, height: 900 },
  timezoneId = 'Asia/Tokyo',
): Promise<Visit> {
  const context = await browser.newContext({ locale: 'ja-JP', timezoneId, viewport });
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (thrown) => complaints.push(thrown.error().message));
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  await page.goto(url);
  return {
    page,
    async leave(expected) {
      await context.close();
      expect(complaints.filter((text) => expected?.test(text) !== true)).toStrictEqual([]);
    },
  };
}

/** Holds the requests that match until they are let go. */
export async function hold(page: Page, url: RegExp) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen: string[] = [];
  await page.route(url, async (route: Route) => {
    seen.push(route.request().url());
    await promise;
    // It may have been given up in the meantime.
    await route.continue().catch(() => undefined);
  });
  return { seen, letGo: resolve };
}
