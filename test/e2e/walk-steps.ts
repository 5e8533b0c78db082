import type { Locator, Page } from 'playwright-core';
import { eventually } from '#test/sending.ts';
import { type Login, logIn } from './demo.ts';
import type { Route } from './intercept.ts';
import { jumps } from './page-checks.ts';

/** The steps of the walks through the client. */

/** The stream of a session's runs and notices, which is open on every screen. */
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
 * Checks after two frames that animations have ended, when changes have started theirs.
 * Endless ones are not awaited.
 */
const IS_STILL = `new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame))).then(() =>
  document.getAnimations().every(({ effect }) => effect.getComputedTiming().iterations === Infinity))`;

const REFUSAL = { message: 'この操作はできません。管理者にお問い合わせください。', code: 'forbidden' };

/** Refuses a call. The client does not try it again; a call without an answer it tries three times, for 3 s. */
export const refuse = (route: Route) => route.fulfill({ status: 403, json: REFUSAL });

/** Waits until colours and positions are final. */
export async function untilStill(page: Page): Promise<void> {
  await eventually(() => page.evaluate<boolean>(IS_STILL), Boolean);
}

/**
 * Logs in on the login screen, and drops the layout shifts since the last state.
 * A slow machine replaces the screen more than half a second after the click, and the browser counts that as a jump.
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

/** Names a screen once it has loaded everything. */
export async function* whenLoaded(page: Page, name: string): AsyncGenerator<string> {
  await untilLoaded(page);
  yield name;
}

/** Names a state once a text is visible; the toasts of the previous state are closed. */
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
const ORDER = /^(テスト送信(（.*）|を予約)?|.*社に送信|.*社への送信を予約)$/;

/** The button of the attack list that asks before it sends or reserves. */
export const orderButton = (page: Page) =>
  page.getByRole('region', { name: '送信の内容' }).getByRole('button', { name: ORDER });

export const pressOrder = (page: Page) => orderButton(page).click();

/** Opens the settings of the attack list, which begin folded on a phone. */
export async function openSettings(page: Page): Promise<void> {
  const fold = page.getByRole('button', { name: '送信設定' });
  if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.click();
}

/** Presses the log-out, which stands in a menu on phones. */
export async function pressLogOut(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: /のメニュー$/ });
  if ((await menu.count()) > 0) await menu.click();
  await press(page, 'ログアウト');
}

export const toggle = (page: Page, name: string) => page.getByRole('switch', { name, exact: true }).click();
export const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();
export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
export const closeDialog = async (page: Page) => {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
};

/** Ticks what a dialog asks to look at before its mails leave, once the server has checked them. */
export async function tickWarnings(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.locator('[type=submit]:not([aria-disabled=true])').waitFor();
  for (const box of await dialog.getByRole('checkbox').all()) await box.check();
}

/** Returns the name of a listed company. Rows outside of the window are not drawn, and have no inner text. */
export async function companyName(list: Page | Locator, row = 0): Promise<string> {
  return (await list.getByRole('rowheader').nth(row).textContent()) ?? '';
}

/** Opens a menu or a part that phones alone fold away. */
export async function unfold(page: Page, name: string | RegExp): Promise<void> {
  const fold = page.getByRole('button', { name, expanded: false }).first();
  if ((await fold.count()) > 0) await fold.click();
}

/** Shows the selects of sender group and template. */
export const openSelects = (page: Page) => unfold(page, /^送信者グループとテンプレート/);

/** Shows what adds companies to the list. */
export const openTools = (page: Page) => unfold(page, '会社を増やす');

/** Shows all fields of the first company. */
export const openCard = (page: Page) => unfold(page, /のほかの項目$/);

/** Opens or folds the filters of the list of companies. */
export async function openFilters(page: Page, open: boolean): Promise<void> {
  const heading = page.getByRole('button', { name: '絞り込み', exact: true });
  if ((await heading.getAttribute('aria-expanded')) !== String(open)) await heading.click();
}

/** The link to the editor of a template in their list; without a name, of the first. */
export const templateLink = (page: Page, name?: string) =>
  page
    .getByRole('list', { name: 'テンプレート' })
    .getByRole('link', name === undefined ? {} : { name })
    .first();
