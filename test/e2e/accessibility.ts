import type { Page } from 'playwright-core';
import { DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import { axeFaults, type ColorScheme, changeColors } from './axe.ts';
import { type Size, visit } from './browser.ts';
import { enter } from './demo.ts';
import { intercept, type Route } from './intercept.ts';
import { cutTimes, illFitting, jumps, tooWide } from './page-checks.ts';
import type { Scene } from './scene.ts';
import { firstOfEach, missedScreens, type WalkName } from './screens.ts';
import { WALKS } from './walk.ts';
import { untilStill, whenLoaded } from './walk-steps.ts';

/** Keeps only the first rows of a list, as the others look the same. */
async function shorten(route: Route): Promise<void> {
  const response = await route.fetch();
  const { rows, ...rest } = (await response.json()) as { rows: unknown[] };
  await route.fulfill({ json: { ...rest, rows: rows.slice(0, 3) } });
}

/** What the walk causes on purpose: refused input, an ended session, answers and a screen that never arrive. */
const EXPECTED = /status of (?:40[01349]|503)|net::ERR_FAILED|dynamically imported module/;

const PHONE: Size = { width: 390, height: 844 };
const DESK: Size = { width: 1440, height: 900 };
/** The desktop at a zoom of 200 %. */
const ZOOMED: Size = { width: 720, height: 450 };
const SMALL_DESK: Size = { width: 1024, height: 768 };
/** 1280 px at a zoom of 400 %: below it a person would have to scroll sideways (WCAG 2.2, 1.4.10). */
const NARROWEST: Size = { width: 320, height: 640 };

/** A fault of a screen, with the size in which it was found. */
type Report = (found: readonly string[], size: Size) => void;

/**
 * Checks every screen and state of a walk: by axe, by sideways scrolling, by squeezed and covered parts, by layout
 * shifts, and by the console. A walk on a phone visits them; each state is then shown on a desk and zoomed too.
 * A state is checked light on one of these sizes and dark on the other, by turns: they share their colours.
 */
export async function checkStates(kaitaku: Scene, walk: WalkName): Promise<string[]> {
  const { page, leave } = await visit(kaitaku.browser, `${kaitaku.url}/login`, PHONE);
  // Without transitions, so that colours are final at once.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await intercept(page, /\/api\/v1\/(prospect\/view|attack_list\/left_out)\?/, shorten);
  const faults: string[] = [];
  const visited: string[] = [];
  let scheme: ColorScheme = 'light';
  for await (const screen of WALKS[walk](page, kaitaku.url, DEMO_LOGIN)) {
    visited.push(page.url());
    const report: Report = (found, { width }) => {
      faults.push(...found.map((fault) => `${screen} at ${width} px: ${fault}`));
    };
    report(await jumps(page), PHONE);
    report(await illFitting(page, false), PHONE);
    report(await axeFaults(page, scheme), PHONE);
    // The walk continues in these colours: they change once a state.
    scheme = scheme === 'light' ? 'dark' : 'light';
    await page.setViewportSize(DESK);
    await changeColors(page, scheme);
    report(await illFitting(page, true), DESK);
    report(await axeFaults(page, scheme), DESK);
    await resize(page, ZOOMED);
    report(await illFitting(page, true), ZOOMED);
    await resize(page, NARROWEST);
    report(await tooWide(page), NARROWEST);
    // The walk continues on the phone: until it is still, the list holds the cards of the smaller window.
    await resize(page, PHONE);
    // What moved because the window and its colours changed does not count.
    await jumps(page);
  }
  await leave(EXPECTED);
  faults.push(...(await jumpsOnDesk(kaitaku, firstOfEach(walk, visited))));
  return [...faults, ...missedScreens(walk, visited).map((screen) => `${screen} was not visited`)];
}

/** A file that is there at once: a page of it loads no screen. */
const NO_SCREEN = '/icon.svg';
const LOGIN = '/login';

/**
 * Loads each address once on a desk, in a session of its own, as a walk may end logged out.
 * @returns those that jump, ask for a login, or cut a time on a small desk: the walk loaded them on a phone
 */
async function jumpsOnDesk({ browser, url }: Scene, addresses: readonly string[]): Promise<string[]> {
  const faults: string[] = [];
  const { page, leave } = await enter(browser, url, NO_SCREEN, DESK);
  for (const address of addresses) {
    await page.goto(address);
    for await (const screen of whenLoaded(page, new URL(address).pathname)) {
      faults.push(...(await jumps(page)).map((fault) => `${screen} on a desk: ${fault}`));
      if (screen !== LOGIN && new URL(page.url()).pathname === LOGIN)
        faults.push(`${screen} on a desk: asks for a login`);
      await page.setViewportSize(SMALL_DESK);
      faults.push(...(await cutTimes(page)).map((fault) => `${screen} at ${SMALL_DESK.width} px: ${fault}`));
      await page.setViewportSize(DESK);
    }
  }
  await leave(EXPECTED);
  return faults;
}

/** Changes the window, and waits until the page has followed: the navigation folds, and a list holds other cards. */
async function resize(page: Page, size: Size): Promise<void> {
  await page.setViewportSize(size);
  await untilStill(page);
}
