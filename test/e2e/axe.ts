import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { DOUBTFUL_TEXTS } from './doubtful-texts.ts';
import { untilStill } from './walk-steps.ts';

/** Without frames: the only one contains a mail, in which neither scripts nor axe run. */
const OPTIONS = { iframes: false, preload: false, resultTypes: ['violations'] };

/**
 * The script that adds axe to a page, without the HTML of each element, which costs a tenth of the time and is not
 * reported. It skips rules whose faults are minor or moderate.
 */
const AXE = `${readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')}
${DOUBTFUL_TEXTS}
axe.configure({
  noHtml: true,
  rules: axe._audit.rules
    .filter(({ impact }) => impact === 'minor' || impact === 'moderate')
    .map(({ id }) => ({ id, enabled: false })),
});
const faultsOf = async (context, options) => {
  const { violations } = await axe.run(context, { ...${JSON.stringify(OPTIONS)}, ...options });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ': ' + target.join(' ') + ' ' + failureSummary));
};
// The page behind an open dialog was checked in a state of its own, and takes most of the time of axe.
const exceptBehindDialog = () =>
  document.querySelector('body > dialog') ? { exclude: ['#root'] } : document;
// The rule of inline spacing is about !important alone, and looks at all elements with styles.
const structureFaults = () => faultsOf(exceptBehindDialog(), { rules: {
  'color-contrast': { enabled: false },
  'avoid-inline-spacing': { enabled: document.querySelector('[style*=important]') !== null },
} });
const contrastFaults = async () => {
  const include = doubtfulTexts();
  return include.length === 0 ? [] : faultsOf({ include }, { runOnly: ['color-contrast'] });
};
window.axeFaults = async (scheme) =>
  [...await structureFaults(), ...(await contrastFaults()).map((fault) => scheme + ' ' + fault)];`;

export type ColorScheme = 'light' | 'dark';

/** Changes the colours of a page, and waits until they are final. */
export async function changeColors(page: Page, colorScheme: ColorScheme): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await untilStill(page);
}

/** Returns the serious and critical faults that axe finds. @param colorScheme the page's current one */
export async function axeFaults(page: Page, colorScheme: ColorScheme): Promise<string[]> {
  const check = `window.axeFaults?.('${colorScheme}')`;
  const faults = await page.evaluate<string[] | undefined>(check);
  return faults ?? page.evaluate<string[]>(`${AXE}\n${check}`);
}
