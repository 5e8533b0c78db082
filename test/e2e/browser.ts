import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page, type Route } from 'playwright-core';
import { expect } from 'vitest';

/** The headless shell is Chromium without its windows: the same engine for half the CPU time (decision 0147). */
const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** No traffic except the page's; no sandbox, which needs rights that a container's root lacks. */
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

/** Starts Chromium. @throws where none is installed: `npm test` installs it or says how */
export function launchBrowser(): Promise<Browser> {
  const executablePath = CANDIDATES.find((path) => path !== undefined && existsSync(path));
  if (!executablePath) throw new Error('Chromium is not installed: run `npm test`');
  return chromium.launch({ executablePath, args: FLAGS });
}

export interface Visit {
  readonly page: Page;
  /**
   * Closes the page and those opened from it; fails on console messages and violations of the security policy.
   * Chromium also logs every answer that is not 2xx: a test names the messages that it expects.
   */
  leave(expected?: RegExp): Promise<void>;
}

/** Opens a page as a person who reads Japanese, with empty storage. */
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

/** Holds the matching requests until they are released. */
export async function hold(page: Page, url: RegExp) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen: string[] = [];
  await page.route(url, async (route: Route) => {
    seen.push(route.request().url());
    await promise;
    // The page may have cancelled it in the meantime.
    await route.continue().catch(() => undefined);
  });
  return { seen, letGo: resolve };
}
