import { DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import { type ColorScheme, changeColors, contrastFaults, structureFaults } from './axe.ts';
import { visit } from './browser.ts';
import { intercept, type Route } from './intercept.ts';
import { illFitting, jumps } from './page-checks.ts';
import type { shareScene } from './scene.ts';
import { missedScreens } from './screens.ts';
import { walk } from './walk.ts';
import { untilStill } from './walk-steps.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Keeps only the first rows of a list, as the others look the same. */
async function shorten(route: Route): Promise<void> {
  const response = await route.fetch();
  const { rows, ...rest } = (await response.json()) as { rows: unknown[] };
  await route.fulfill({ json: { ...rest, rows: rows.slice(0, 3) } });
}

/** What the walk causes on purpose: refused input, an ended session, answers and a screen that never arrive. */
const EXPECTED = /status of 40[01349]|net::ERR_FAILED|dynamically imported module/;

/**
 * Checks every screen and state of the client: by axe, light and dark, by sideways scrolling, by squeezed texts, and by
 * the console.
 * @param sizes the sizes of the window; axe checks in the first, what is covered is looked for in the others
 */
export async function checkStates(
  kaitaku: ReturnType<typeof shareScene>,
  [viewport, ...others]: readonly [Size, ...Size[]],
): Promise<string[]> {
  const { page, leave } = await visit(kaitaku.browser, `${kaitaku.url}/login`, viewport);
  // Without transitions, so that colours are final at once.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await intercept(page, /\/api\/v1\/(prospect\/view|attack_list\/left_out)\?/, shorten);
  const faults: string[] = [];
  const visited: string[] = [];
  /** A state leaves the page in the other colours, so that they change but once. */
  let scheme: ColorScheme = 'light';
  for await (const screen of walk(page, kaitaku.url, DEMO_LOGIN)) {
    visited.push(page.url());
    const report = (found: readonly string[], { width }: Size) =>
      faults.push(...found.map((fault) => `${screen} at ${width} px: ${fault}`));
    report(await jumps(page), viewport);
    report(await illFitting(page, false), viewport);
    report(await structureFaults(page), viewport);
    report(await contrastFaults(page, scheme), viewport);
    for (const size of others) {
      await page.setViewportSize(size);
      // The navigation folds what has no room any more.
      await untilStill(page);
      report(await illFitting(page, true), size);
    }
    // The walk continues in the first size.
    if (others.length > 0) await page.setViewportSize(viewport);
    scheme = scheme === 'light' ? 'dark' : 'light';
    await changeColors(page, scheme);
    report(await contrastFaults(page, scheme), viewport);
    await jumps(page);
  }
  await leave(EXPECTED);
  return [...faults, ...missedScreens(visited).map((screen) => `${screen} was not visited`)];
}
