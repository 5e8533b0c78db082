import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { atFileEnd } from '#test/file-end.ts';
import { intercept } from './intercept.ts';
import { worker } from './launch.ts';

/** Returns the browser that the files of a worker share. Pages that a file leaves open are closed after it. */
export function browserOfWorker(): Browser {
  const { browser } = worker;
  if (!browser) throw new Error('the environment of this project has no browser');
  atFileEnd(() => Promise.all(browser.contexts().map((context) => context.close())));
  return browser;
}

/** The window size in px. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Visit {
  readonly page: Page;
  /**
   * Closes the page and those opened from it; fails on console messages and violations of the security policy.
   * Chromium also logs each answer other than 2xx, so a test names the expected messages.
   */
  leave(expected?: RegExp): Promise<void>;
}

const WINDOW: Size = { width: 1440, height: 900 };

/** Opens an address in a Japanese browser with empty storage. */
export async function visit(browser: Browser, url: string, viewport?: Size, timezoneId?: string): Promise<Visit> {
  const opened = await openPage(browser, viewport, timezoneId);
  await opened.page.goto(url);
  return opened;
}

/** Opens an empty page in a Japanese browser with empty storage. */
export async function openPage(browser: Browser, viewport = WINDOW, timezoneId = 'Asia/Tokyo'): Promise<Visit> {
  const context = await browser.newContext({ locale: 'ja-JP', timezoneId, viewport });
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (thrown) => complaints.push(thrown.error().message));
  // Long enough under the load of `npm run check:loaded`.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  return {
    page,
    async leave(expected) {
      await context.close();
      expect(complaints.filter((text) => expected?.test(text) !== true)).toStrictEqual([]);
    },
  };
}

/** Delays the matching calls until they are released. */
export async function hold(page: Page, url: RegExp) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen: string[] = [];
  await intercept(page, url, async (route) => {
    seen.push(route.url);
    await promise;
    await route.continue();
  });
  return { seen, letGo: resolve };
}
