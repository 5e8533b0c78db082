import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * The headless shell is Chromium without windows: the same engine for half the CPU time (decisions/tests).
 */
const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** No network traffic except the page's; no sandbox, because root in a container lacks the rights for it. */
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

/**
 * Disables V8's optimizing compilers. A test runs little of the client twice, and each loaded page would be optimized
 * again: a seventh of a walk's CPU time (docs/decisions/tests).
 */
export const UNOPTIMIZED = ['--js-flags=--no-maglev --no-turbofan'];

/**
 * Starts Chromium.
 * @param more flags
 * @throws if none is installed: `npm test` installs it or says how
 */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const executablePath = CANDIDATES.find((path) => path !== undefined && existsSync(path));
  if (!executablePath) throw new Error('Chromium is not installed: run `npm test`');
  return chromium.launch({ executablePath, args: [...FLAGS, ...more] });
}

/** What environment.ts provides to the tests of its worker; a global, because vitest loads that file separately. */
export const worker = globalThis as { browser?: Browser };
