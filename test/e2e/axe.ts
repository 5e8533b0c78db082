import { source } from 'axe-core';
import type { Page } from 'playwright-core';
import { DOUBTFUL_TEXTS } from './doubtful-texts.ts';
import { untilStill } from './walk-steps.ts';

/** Without frames: the only one holds a mail, in which neither scripts nor axe run. */
const OPTIONS = { iframes: false, preload: false, resultTypes: ['violations'] };

/**
 * Script that adds axe to a page: without the HTML of each element, which costs a tenth of the time and is not
 * reported, and without rules whose faults are minor or moderate.
 */
const AXE = `${source}
${DOUBTFUL_TEXTS}
axe.configure({
  noHtml: true,
  rules: axe._audit.rules
    .filter(({ impact }) => impact === 'minor' || impact === 'moderate')
    .map(({ id }) => ({ id, enabled: false })),
});
window.faultsOf = async (context, options) => {
  const { violations } = await axe.run(context, { ...${JSON.stringify(OPTIONS)}, ...options });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ': ' + target.join(' ') + ' ' + failureSummary));
};
// The page behind an open dialog was checked in a state of its own, and takes most of the time of axe.
window.exceptBehindDialog = () =>
  document.querySelector('body > :not(#root) [role=dialog]') ? { exclude: ['#root'] } : document;
// The rule of inline spacing is about !important alone, and looks at all elements with styles.
window.structureFaults = () => faultsOf(exceptBehindDialog(), { rules: {
  'color-contrast': { enabled: false },
  'avoid-inline-spacing': { enabled: document.querySelector('[style*=important]') !== null },
} });
window.contrastFaults = async () => {
  const include = doubtfulTexts();
  return include.length === 0 ? [] : faultsOf({ include }, { runOnly: ['color-contrast'] });
};`;

async function evaluate(page: Page, call: string): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  return page.evaluate<string[]>(call);
}

/** Returns the serious and critical faults that axe finds without looking at colours. */
export const structureFaults = (page: Page): Promise<string[]> => evaluate(page, 'structureFaults()');

export type ColorScheme = 'light' | 'dark';

/** Changes the colours of a page, and waits until they are final. */
export async function changeColors(page: Page, colorScheme: ColorScheme): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await untilStill(page);
}

/** Returns the texts with too little contrast in the colours that the page has. @param colorScheme of the message */
export async function contrastFaults(page: Page, colorScheme: ColorScheme): Promise<string[]> {
  return (await evaluate(page, 'contrastFaults()')).map((fault) => `${colorScheme} ${fault}`);
}
