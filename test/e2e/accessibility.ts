import type { Page } from 'playwright-core';
import { DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import { axeFaults, type ColorScheme, changeColors } from './axe.ts';
import { type Size, visit } from './browser.ts';
import { enter } from './demo.ts';
import { intercept, type Route } from './intercept.ts';
import { cutTexts, cutTimes, illFitting, jumps, tooWide } from './page-checks.ts';
import type { Scene } from './scene.ts';
import { firstOfEach, missedScreens, type WalkName } from './screens.ts';
import { WALKS } from './walk.ts';
import { untilStill, whenLoaded } from './walk-steps.ts';

/** Keeps only the first rows of a list, because the others look the same. */
async function shorten(route: Route): Promise<void> {
  const response = await route.fetch();
  const { rows, ...rest } = (await response.json()) as { rows: unknown[] };
  await route.fulfill({ json: { ...rest, rows: rows.slice(0, 3) } });
}

/** Console messages caused on purpose: refused input, an ended session, missing answers and screens. */
const EXPECTED = /status of (?:40[01349]|503)|net::ERR_FAILED|dynamically imported module/;

const PHONE: Size = { width: 390, height: 844 };
const DESK: Size = { width: 1440, height: 900 };
/** The desktop at a zoom of 200 %. */
const ZOOMED: Size = { width: 720, height: 450 };
const SMALL_DESK: Size = { width: 1024, height: 768 };
/** 1280 px at a zoom of 400 %: at this width nothing may need sideways scrolling (WCAG 2.2, 1.4.10). */
const NARROWEST: Size = { width: 320, height: 640 };

/** Reports faults of a screen, with the window size in which they were found. */
type Report = (found: readonly string[], size: Size) => void;

/**
 * Checks every screen and state of a walk: by axe, by sideways scrolling, by squeezed and covered parts, by layout
 * shifts, and by the console. The walk is phone-sized; each state is then resized to a desktop and zoomed.
 * A state is checked light in one size and dark in the other, alternately: sizes share their colours.
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
    report(await cutTexts(page), PHONE);
    report(await axeFaults(page, scheme), PHONE);
    // The walk continues in these colours, so that they change only once per state.
    scheme = scheme === 'light' ? 'dark' : 'light';
    await page.setViewportSize(DESK);
    await changeColors(page, scheme);
    report(await illFitting(page, true), DESK);
    report(await cutTexts(page), DESK);
    report(await axeFaults(page, scheme), DESK);
    await resize(page, SMALL_DESK);
    report(await cutTexts(page), SMALL_DESK);
    await resize(page, ZOOMED);
    report(await illFitting(page, true), ZOOMED);
    await resize(page, NARROWEST);
    report(await tooWide(page), NARROWEST);
    // The walk continues phone-sized: until the page is still, the list contains the cards of the smaller window.
    await resize(page, PHONE);
    // Layout shifts because of the changed window and colours do not count.
    await jumps(page);
  }
  await leave(EXPECTED);
  faults.push(...(await jumpsOnDesk(kaitaku, firstOfEach(walk, visited))));
  faults.push(...missedScreens(walk, visited).map((screen) => `${screen} was not visited`));
  return withRealJumps(walk, faults);
}

/** Where the last try of a walk jumped. */
const jumpedAt = new Map<WalkName, ReadonlySet<string>>();

/**
 * Returns the faults of a try. In a repeated one only what jumped before counts as a jump: each slow moment of the
 * machine hits another state.
 */
function withRealJumps(walk: WalkName, faults: readonly string[]): string[] {
  const stateOf = (fault: string) => /^(.*): jumps by /.exec(fault)?.[1];
  const before = jumpedAt.get(walk);
  jumpedAt.set(walk, new Set(faults.flatMap((fault) => stateOf(fault) ?? [])));
  return faults.filter((fault) => {
    const state = stateOf(fault);
    return before === undefined || state === undefined || before.has(state);
  });
}

/** A file that loads at once: a page of it loads no screen. */
const NO_SCREEN = '/icon.svg';
const LOGIN = '/login';

/**
 * Loads each address once on a desktop, in its own session, because a walk may end logged out.
 * @returns the addresses that jump, show the login, or cut a time on a small desktop: the walk loaded them on a phone
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

/** Resizes the window, and waits until the page has followed: the navigation folds, and a list renders other cards. */
async function resize(page: Page, size: Size): Promise<void> {
  await page.setViewportSize(size);
  await untilStill(page);
}
