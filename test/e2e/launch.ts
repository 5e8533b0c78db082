import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * The headless shell is Chromium without its windows: the same engine for half the CPU time (decisions/tests).
 */
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

/**
 * Without V8's optimizing compilers. A test runs little of the client twice, and each page that is loaded would be
 * optimized anew: a seventh of the CPU time of a walk (docs/decisions/tests).
 */
export const UNOPTIMIZED = ['--js-flags=--no-maglev --no-turbofan'];

/**
 * Starts Chromium.
 * @param more flags
 * @throws where none is installed: `npm test` installs it or says how
 */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const executablePath = CANDIDATES.find((path) => path !== undefined && existsSync(path));
  if (!executablePath) throw new Error('Chromium is not installed: run `npm test`');
  return chromium.launch({ executablePath, args: [...FLAGS, ...more] });
}

/** What environment.ts gives to the tests of its worker. vitest loads that file apart from them. */
export const worker = globalThis as { browser?: Browser };
