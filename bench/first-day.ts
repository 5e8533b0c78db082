import type { Locator, Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { startFresh } from '#test/e2e/fresh-start.ts';
import { launchBrowser } from '#test/e2e/launch.ts';
import { firstDay } from '#test/e2e/walk-first-day.ts';
import { eventually } from '#test/sending.ts';
import { startSmtpSink } from '#test/smtp-sink.ts';
import { print } from './figures.ts';

/**
 * Counts the presses and typed characters of a new account's first day, from the printed link to the first real mail.
 * `npm run bench -- first-day [PICTURES]`. Limits: 30 presses, 150 characters.
 *
 * A press is a click, a key that submits a form, or opening a link in a mail. A field needs one before typing unless
 * it has the focus; choosing a file needs two (the button and the file).
 */

const MAX_PRESSES = 30;
const MAX_CHARACTERS = 150;

let presses = 0;
let characters = 0;

/** Counts the presses and characters on a page. */
function countActs(page: Page): void {
  const locators = Object.getPrototypeOf(page.locator('body')) as Locator;
  const { click, check, fill, setInputFiles } = locators;
  locators.click = function (...options) {
    presses += 1;
    return click.apply(this, options);
  };
  locators.check = async function (...options) {
    if (!(await this.isChecked())) presses += 1;
    return check.apply(this, options);
  };
  locators.fill = async function (text, ...options) {
    const hasFocus = await this.evaluate((field) => field.matches(':focus'));
    presses += hasFocus ? 0 : 1;
    characters += [...text].length;
    return fill.call(this, text, ...options);
  };
  locators.setInputFiles = function (...given) {
    presses += 2;
    return setInputFiles.apply(this, given);
  };
  const { press } = page.keyboard;
  page.keyboard.press = (...key) => {
    presses += 1;
    return press.apply(page.keyboard, key);
  };
}

const [pictures] = process.argv.slice(2);
// With a mail catcher in its place the owner would connect a mailbox.
const sink = await startSmtpSink();
const SMTP_URL = `smtp://127.0.0.1:${sink.port}`;
const kaitaku = await startFresh({ KAITAKU_DEMO: '0', SMTP_URL, MAIL_FROM: 'kaitaku@hana.example.jp' });
const browser = await launchBrowser();
try {
  const setupLink = /http:\/\/127\.0\.0\.1:\d+\/setup\/[\w-]{43}/.exec(kaitaku.program.output())?.[0] ?? '';
  const mailedLink = async (to: string, path: string): Promise<string> => {
    // The mailed and the printed link.
    presses += 1;
    return eventually(
      async () => {
        const caught = sink.mails.filter((mail) => mail.to.includes(to));
        const mails = await Promise.all(caught.map(({ source }) => PostalMime.parse(source)));
        const links = mails.flatMap(({ text = '' }) => text.match(/http:\S+/g) ?? []);
        return links.find((link) => link.includes(path)) ?? '';
      },
      (link) => link !== '',
    );
  };
  const context = await browser.newContext({ locale: 'ja-JP', viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  countActs(page);
  presses += 1;
  for await (const step of firstDay(page, { setupLink, mailedLink })) {
    print(`${step}: ${presses}, ${characters}`);
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${step}.png` });
    // Stop: later steps are not on the way to the first mail.
    if (step === 'sending') break;
  }
  print(`${presses} presses (${MAX_PRESSES} at most), ${characters} characters (${MAX_CHARACTERS} at most)`);
} finally {
  await browser.close();
  await kaitaku.stop();
  await sink.close();
}
if (presses > MAX_PRESSES || characters > MAX_CHARACTERS) process.exitCode = 1;
