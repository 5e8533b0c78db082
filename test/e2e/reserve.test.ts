import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { holidayOf } from '#server/features/sending-rules/holidays.ts';
import { eventually } from '#test/sending.ts';
import { hold, type Visit, visit } from './browser.ts';
import { logIn } from './demo.ts';
import { shareScene } from './scene.ts';
import { chooseDay, dayIn, offeredDays, pressOrder, tickWarnings } from './walk-steps.ts';

/** Reserves an attack list in a browser in New York: every time on the screen is in Tokyo time. */
const kaitaku = shareScene();
let opened: Visit;
let page: Page;

beforeAll(async () => {
  opened = await visit(kaitaku.browser, kaitaku.url, { width: 1440, height: 900 }, 'America/New_York');
  page = opened.page;
  await logIn(page);
  await tab('アタックリスト');
});

const SUBJECT = '受発注業務の効率化のご提案';
const tab = (name: string) => page.getByRole('tab', { name }).click();
const rows = () => page.getByRole('grid').getByRole('rowgroup').nth(1).getByRole('row');
const companies = () => page.getByRole('grid').getByRole('rowheader').allTextContents();
const toggle = (name: string) => page.getByRole('switch', { name, exact: true }).click();
const select = (label: string) => page.getByLabel(label, { exact: true });
const offered = (label: string): Promise<string[]> =>
  select(label)
    .locator('option:enabled')
    .evaluateAll((options) => options.map((option) => (option as unknown as { value: string }).value));
const chosenDay = (label: string) => dayIn(page, label);

/** Opens and confirms the dialog, and waits for the result. Repeated presses send one request. */
async function reserve(
  question: readonly (string | RegExp)[],
  result: string,
  progress = 'メールを予約中',
): Promise<void> {
  await pressOrder(page);
  const dialog = page.getByRole('dialog');
  for (const words of [SUBJECT, /10[社通]/, '本当に予約しますか？', ...question]) {
    await dialog.getByText(words).first().waitFor();
  }
  await tickWarnings(page);
  const slow = await hold(page, /\/api\/v1\/reservation$/);
  const button = dialog.getByRole('button', { name: /予約$/ });
  await button.click();
  await dialog.getByRole('status').filter({ hasText: progress }).waitFor();
  await button.click({ force: true });
  await page.keyboard.press('Escape');
  slow.letGo();
  await page.getByText(result).first().waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect(slow.seen).toHaveLength(1);
}

/** Returns the reserved rows on the tab of all companies. */
async function reservedRows(count: number): Promise<string[]> {
  await tab('見込み客リスト');
  await page.getByLabel('送信状況').selectOption({ label: '予約中' });
  const texts = await eventually(
    () => rows().allTextContents(),
    (all) => all.length === count,
  );
  await tab('アタックリスト');
  return texts;
}

const JOINS = ['同じ日時に予約があります'];
const UPDATING = 'メール予約を更新中';

let first: string[] = [];
let day = '';
const slashed = () => day.replaceAll('-', '/');
const shortDay = () => slashed().slice(5).split('/').map(Number).join('/');

test('it proposes the next hour in Tokyo', async () => {
  await page.getByRole('grid').getByRole('rowheader').first().waitFor();
  const [shownDay, shownTime] = [await chosenDay('予約日時'), await select('時刻').inputValue()];
  const soon = Date.parse(`${shownDay}T${shownTime.padStart(5, '0')}:00+09:00`) - Date.now();
  expect(soon).toBeGreaterThan(-60_000);
  expect(soon).toBeLessThanOrEqual(60 * 60_000);
  expect(shownTime).toMatch(/:00$/);
});

test('it offers no weekend, and 8:00 to 20:45 in steps of 15 minutes', async () => {
  const standard = await chosenDay('予約日時');
  const days = (await offeredDays(page, '予約日時')).filter((value) => value !== standard);
  for (const value of days) expect([0, 6]).not.toContain(new Date(`${value}T00:00:00Z`).getUTCDay());
  day = days[3] ?? '';
  await chooseDay(page, '予約日時', day);
  const times = await offered('時刻');
  expect([times[0], times[1], times.at(-1), times.length]).toStrictEqual(['8:00', '8:15', '20:45', 52]);
  await select('時刻').selectOption('10:15');
});

test('a reservation with candidate dates is created', async () => {
  await toggle('テストモード');
  await toggle('候補日を入れる');
  const removal = page.getByRole('button', { name: /^候補日\d+を削除$/ });
  await expect.poll(() => removal.count()).toBe(0);
  // 候補日を追加 skips holidays.
  const days = (await offeredDays(page, '候補日1')).filter((value) => holidayOf(value, day) === null);
  const [one = '', two = ''] = days.filter((value) => value > day);
  await chooseDay(page, '候補日1', one);
  await page.getByRole('button', { name: '候補日を追加' }).click();
  expect(await chosenDay('候補日2')).toBe(two);
  await page.getByRole('button', { name: '候補日を追加' }).click();
  await select('候補日3').waitFor();
  // The middle row is removed, and the next one moves up.
  const third = await chosenDay('候補日3');
  await page.getByRole('button', { name: '候補日2を削除' }).click();
  await select('候補日3').waitFor({ state: 'detached' });
  expect(await chosenDay('候補日2')).toBe(third);
  await expect.poll(() => removal.count()).toBe(2);
  await page.getByRole('group', { name: '候補日2の日時' }).getByLabel('開始時刻').selectOption('13:30');
  first = await companies();
  expect(first).toHaveLength(10);
  await reserve([new RegExp(`${shortDay()}（.）10:15`), /9:00〜18:00\s*・.*13:30〜18:00/], 'メールが予約されました');
  const reserved = await reservedRows(10);
  for (const row of reserved) expect(row).toContain(`${slashed()} 10:15`);
  for (const company of first) expect(reserved.join('\n')).toContain(company);
});

test('a reservation at the same time adds the next companies', async () => {
  await eventually(companies, (names) => names.length === 10 && !names.some((name) => first.includes(name)));
  await page.getByText(/予約中 10社/).waitFor();
  await reserve(JOINS, 'メールの予約が更新されました', UPDATING);
  expect(await reservedRows(20)).toHaveLength(20);
});

test('companies that are already reserved are reported, and the dialog stays', async () => {
  await toggle('テストモード');
  await reserve(['テスト送信です'], 'メールが予約されました');
  await reserve(JOINS, 'アタックリストはすでに予約されています', UPDATING);
  expect(await chosenDay('予約日時')).toBe(day);
  await expect.poll(() => select('時刻').inputValue()).toBe('10:15');
  expect(await reservedRows(20)).toHaveLength(20);
});

test('at 200 % zoom the list is still visible below the settings', async () => {
  await page.setViewportSize({ width: 720, height: 450 });
  // The list may be reloading.
  const list = page.getByRole('region', { name: '送信対象' });
  await eventually(
    async () => (await list.boundingBox())?.height ?? 0,
    (height) => height > 200,
  );
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('a reload keeps the settings', async () => {
  await page.reload();
  await page.getByRole('grid').getByRole('rowheader').first().waitFor();
  expect(await chosenDay('予約日時')).toBe(day);
  await expect
    .poll(() => page.getByRole('group', { name: '候補日2の日時' }).getByLabel('開始時刻').inputValue())
    .toBe('13:30');
  await opened.leave();
});
