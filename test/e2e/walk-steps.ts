import type { Locator, Page } from 'playwright-core';
import { eventually } from '#test/sending.ts';
import { type Login, logIn } from './demo.ts';
import type { Route } from './intercept.ts';
import { jumps } from './page-checks.ts';

/** The steps of the walks through the client. */

/** The event stream of runs and notices, which is open on every screen. */
export const EVENTS = /\/api\/v1\/send_log\/events$/;
/** The call that shows a mail before it is sent. */
export const PREVIEW = '/mail/preview/*';
/** The call that checks all mails of an order. */
export const CHECK = '/mail/check/*';
/** The text of a real send's dialog once all its mails have been checked. */
export const CHECKED = /差し込み [\d,]+通とも問題なし/;
/** Matches the call for one run. */
export const RUN = /\/api\/v1\/send_log\/\d+$/;

/**
 * Resolves after two frames, once the animations that changes have started are finished.
 * Endless ones are ignored, and those that a scroll position drives.
 */
const IS_STILL = `new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame))).then(() =>
  document.getAnimations().every(({ effect, timeline }) => timeline !== document.timeline || effect.getComputedTiming().iterations === Infinity))`;

/** What a read gets that comes too often. A real 429 fails the walks, so the status is another. */
const REFUSAL = { message: '操作が多すぎます。1分ほど待ってから、やり直してください。', code: 'too_many_requests' };

/** Refuses a call. The client does not retry a refusal; a call without an answer it retries three times, for 3 s. */
export const refuse = (route: Route) => route.fulfill({ status: 403, json: REFUSAL });

/** Waits until colours and positions are final. */
export async function untilStill(page: Page): Promise<void> {
  await eventually(() => page.evaluate<boolean>(IS_STILL), Boolean);
}

/**
 * Logs in on the login screen, and drops the layout shifts since the last state.
 * A slow machine replaces the screen more than half a second after the click, which the browser counts as a jump.
 */
export async function passLogin(page: Page, person?: Login): Promise<void> {
  await logIn(page, person);
  await page.waitForURL(({ pathname }) => pathname !== '/login');
  // The address changes before the screen.
  await page.getByLabel('パスワード', { exact: true }).waitFor({ state: 'detached' });
  await untilLoaded(page);
  await jumps(page);
}

async function untilLoaded(page: Page): Promise<void> {
  await eventually(
    () => page.locator('[aria-busy=true]').count(),
    (busy) => busy === 0,
  );
  await untilStill(page);
}

/** Yields a screen's name once everything has loaded. */
export async function* whenLoaded(page: Page, name: string): AsyncGenerator<string> {
  await untilLoaded(page);
  yield name;
}

/** Yields a state's name once a text is visible; closes the toasts of the previous state. */
export async function* when(page: Page, text: string | RegExp, name: string): AsyncGenerator<string> {
  await page.getByText(text).first().waitFor();
  yield* whenLoaded(page, name);
  await closeToasts(page);
}

const TOAST = '[aria-atomic=false] [role=group]';

/** Closes the toasts that do not close by themselves. */
export async function closeToasts(page: Page): Promise<void> {
  await page.evaluate(`document.querySelectorAll('${TOAST} > button').forEach((button) => button.click())`);
  await eventually(
    () => page.locator(TOAST).count(),
    (left) => left === 0,
  );
}

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();

/** Presses a further act of a dialog's foot, which phones have under ⋯. */
export async function pressFurther(page: Page, name: string): Promise<void> {
  const more = page.getByRole('dialog').last().getByRole('button', { name: 'その他の操作' });
  await more
    .or(page.getByRole('button', { name, exact: true }))
    .first()
    .waitFor();
  if (await more.isVisible()) await more.click();
  await press(page, name);
}

const ORDER = /^(テスト送信(（.*）|を予約)?|.*社に送信|.*社への送信を予約)$/;

/** Returns the attack list's button that opens the dialog for sending or reserving. */
export const orderButton = (page: Page) =>
  page.getByRole('region', { name: '送信の内容' }).getByRole('button', { name: ORDER });

export const pressOrder = (page: Page) => orderButton(page).click();

/** Opens the settings of the attack list, which are folded at first on a phone. */
export async function openSettings(page: Page): Promise<void> {
  const fold = page.getByRole('button', { name: '送信設定' });
  if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.click();
}

/** Presses the log-out button, which is in a menu on phones. */
export async function pressLogOut(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: /のメニュー$/ });
  if ((await menu.count()) > 0) await menu.click();
  await press(page, 'ログアウト');
}

export const toggle = (page: Page, name: string) => page.getByRole('switch', { name, exact: true }).click();
export const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();
export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
export const closeDialog = async (page: Page) => {
  // A state that was yielded before its dialog had loaded shows and checks the page behind it.
  if ((await page.getByRole('dialog').count()) === 0) throw new Error('No dialog is open');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
};

/** Ticks the warnings of a dialog once the server has checked its mails. */
export async function tickWarnings(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.locator('[type=submit]:not([aria-disabled=true])').waitFor();
  for (const box of await dialog.getByRole('checkbox').all()) await box.check();
}

const DAYS = `[...document.querySelectorAll('[role=dialog] td[data-day]:not(:has([aria-disabled=true]))')]
  .map(({ dataset }) => dataset.day)`;

const calendarOf = (page: Page, label: string) =>
  page.getByRole('dialog', { name: `${label}のカレンダー`, exact: true });

/** Returns the day that a field holds. */
export const dayIn = async (page: Page, label: string) => (await field(page, label).getAttribute('value')) ?? '';

/** Returns the days that the calendar of a field offers, from the month of its day on. */
export async function offeredDays(page: Page, label: string): Promise<string[]> {
  await field(page, label).click();
  const next = calendarOf(page, label).getByRole('button', { name: '次の月' });
  const days = await page.evaluate<string[]>(DAYS);
  while ((await next.getAttribute('aria-disabled')) !== 'true') {
    await next.click();
    days.push(...(await page.evaluate<string[]>(DAYS)));
  }
  await page.keyboard.press('Escape');
  return days;
}

/** Chooses a later day in the calendar of a field. */
export async function chooseDay(page: Page, label: string, day: string): Promise<void> {
  await field(page, label).click();
  const cell = calendarOf(page, label).locator(`td[data-day="${day}"] button`);
  while (!(await cell.isVisible())) await calendarOf(page, label).getByRole('button', { name: '次の月' }).click();
  await cell.click();
}

/** Returns the name of a listed company. Not the inner text, which rows outside of the window do not have. */
export async function companyName(list: Page | Locator, row = 0): Promise<string> {
  return (await list.getByRole('rowheader').nth(row).textContent()) ?? '';
}

/** Opens a menu or a part that is folded only on phones. */
export async function unfold(page: Page, name: string | RegExp): Promise<void> {
  const fold = page.getByRole('button', { name, expanded: false }).first();
  if ((await fold.count()) > 0) await fold.click();
}

/** Shows the selects of sender group and template. */
export const openSelects = (page: Page) => unfold(page, /^送信者グループとテンプレート/);

/** Shows the buttons that add companies to the list. */
export const openTools = (page: Page) => unfold(page, '会社を増やす');

/** Leads to another page of the settings: by the list of pages, on phones by a select. */
export async function toSettings(page: Page, name: string): Promise<void> {
  const pages = page.getByRole('navigation', { name: '設定' });
  const select = pages.getByLabel('設定', { exact: true });
  if ((await select.count()) > 0) await select.selectOption({ label: name });
  else await pages.getByRole('link', { name, exact: true }).click();
}

/** Shows the fields of a filter bar. */
export const openBar = (page: Page) => unfold(page, /^絞り込み/);

/** Shows all fields of the first company. */
export const openCard = (page: Page) => unfold(page, /のほかの項目$/);

/** Opens or folds the filters of the list of companies. */
export async function openFilters(page: Page, open: boolean): Promise<void> {
  const heading = page.getByRole('button', { name: '絞り込み', exact: true });
  if ((await heading.getAttribute('aria-expanded')) !== String(open)) await heading.click();
}

/** Returns the link to a template's editor in their list; without a name, the first one. */
export const templateLink = (page: Page, name?: string) =>
  page
    .getByRole('list', { name: 'テンプレート' })
    .getByRole('link', name === undefined ? {} : { name })
    .first();

/** The page's methods of an element; tests are compiled without a browser's types. */
interface Matching {
  matches(selectors: string): boolean;
}

/** Presses Tab until an element has the focus. */
export async function tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  // A locator would search all elements of the page at each press.
  const element = await target.elementHandle();
  for (let presses = 0; presses < 80; presses += 1) {
    await target.page().keyboard.press(key);
    if (await element?.evaluate((node) => (node as unknown as Matching).matches(':focus'))) return;
  }
  throw new Error(`80 times ${key} does not come there`);
}

/** Waits until an element has the focus. */
export const getsFocus = (target: Locator): Promise<unknown> =>
  eventually(
    () => target.and(target.page().locator(':focus')).count(),
    (found) => found === 1,
  );
