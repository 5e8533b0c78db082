import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { firstAllowedDay } from '#domain/sending/picker-window.ts';
import { addDays, addMonths, isWeekend, skipWeekend, startOfMonth } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import type { Client } from '#test/client.ts';
import { reservationBody } from '#test/reservations.ts';
import { eventually } from '#test/sending.ts';
import { demoClient, enter } from './demo.ts';
import { shareScene } from './scene.ts';

/** Tests the screen of all reservations, by keyboard only and in two tabs. */
const kaitaku = shareScene();
let client: Client;
let id = 0;

const DAY = firstAllowedDay(Date.now()).replaceAll('-', '/');
const NEXT = skipWeekend(addDays(firstAllowedDay(Date.now()), 1));

/** The last weekday of a month that can be reserved, and the first one of the next month. */
const [LAST, FIRST] = (() => {
  const first = firstAllowedDay(Date.now());
  const endOf = (month: string): string => {
    let day = addDays(addMonths(startOfMonth(month), 1), -1);
    while (isWeekend(day)) day = addDays(day, -1);
    return day;
  };
  const last = endOf(first) < first ? endOf(addMonths(startOfMonth(first), 1)) : endOf(first);
  return [last, skipWeekend(addDays(last, 1))];
})();

interface Stored {
  readonly send_at: string;
  readonly targets: number;
  readonly version: number;
  readonly state: string;
}
const stored = async () => (await client.get(`/reservation/${id}`)).body as Stored;

beforeEach(async () => {
  client = await demoClient(kaitaku.url);
  const [group] = (await client.get('/sender_group/list')).body as { id: number }[];
  const [sender] = (await client.get(`/sender/list?where_info[sender_group_id]=${group?.id}`)).body as { id: number }[];
  const preview = await client.get(`/attack_list/preview?sender_group_id=${group?.id}&limit_count=10`);
  const { rows } = preview.body as { rows: { prospect_id: number }[] };
  const attack_list = rows.slice(0, 3).map(({ prospect_id }) => ({ prospect_id }));
  const body = reservationBody({ sender_id: sender?.id ?? 0, send_at: `${DAY} 08:00:00`, attack_list });
  id = ((await client.post('/reservation', body)).body as { id: number }).id;
});

const isFocused = async (page: Page, target: Locator) => (await target.and(page.locator(':focus')).count()) === 1;

/** Presses a key until a target has the focus. */
async function pressTo(page: Page, key: string, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 80; presses += 1) {
    if (await isFocused(page, target)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`80 times ${key} does not come there`);
}

test('a reservation is moved, a company removed, and the reservation deleted, by keyboard only', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/reservations');
  const { keyboard } = page;
  const tabTo = (target: Locator) => pressTo(page, 'Tab', target);
  const cellTo = (target: Locator) => pressTo(page, 'ArrowRight', target);
  const dialog = page.getByRole('dialog');
  const change = page.getByRole('link', { name: /を変更$/ });

  await change.waitFor();
  await tabTo(page.getByRole('gridcell').first());
  await cellTo(change);
  await keyboard.press('Enter');
  await tabTo(dialog.getByLabel('予約日時', { exact: true }));
  await keyboard.press('ArrowDown');
  await tabTo(dialog.getByLabel('時刻', { exact: true }));
  await keyboard.type('10:30');
  await tabTo(dialog.locator('fieldset').getByRole('checkbox').first());
  await keyboard.press('Space');
  await page.getByText('変更後').waitFor();
  await keyboard.press('Control+Enter');
  await page.getByText(/10:30・2社に変更しました/).waitFor();
  expect(await stored()).toMatchObject({ send_at: `${NEXT.replaceAll('-', '/')} 10:30:00`, targets: 2, version: 2 });

  const remove = page.getByRole('button', { name: /を削除$/ });
  // The dialog returns the focus to where it was opened.
  await eventually(() => isFocused(page, change), Boolean);
  await cellTo(remove);
  await keyboard.press('Enter');
  // The button is enabled once the number of companies has loaded.
  await dialog.getByText('2社', { exact: true }).waitFor();
  await tabTo(dialog.getByRole('button', { name: '予約を削除' }));
  await keyboard.press('Enter');
  await page.getByText('予約はありません').waitFor();
  expect((await stored()).state).toBe('deleted');
  await leave();
});

test('two tabs change one reservation: the second shows the change of the first, and keeps its own values', async () => {
  const [first, second] = [
    await enter(kaitaku.browser, kaitaku.url, `/reservations/${id}`),
    await enter(kaitaku.browser, kaitaku.url, `/reservations/${id}`),
  ];
  const time = (of: typeof first) => of.page.getByRole('dialog').getByLabel('時刻', { exact: true });
  await time(first).selectOption('9:15');
  await time(second).selectOption('15:45');
  await first.page.getByRole('button', { name: '変更を保存' }).click();
  await first.page.getByText(/9:15・3社に変更しました/).waitFor();
  await second.page.getByRole('button', { name: '変更を保存' }).click();
  await second.page.getByText(/に変更しました。内容を確かめてから/).waitFor();
  await expect.poll(() => time(second).inputValue()).toBe('15:45');
  // A reload keeps the typed text.
  await second.page.reload();
  await eventually(
    () => time(second).inputValue(),
    (value) => value === '15:45',
  );
  await second.page.getByRole('button', { name: '上書きして保存' }).click();
  await second.page.getByText(/15:45・3社に変更しました/).waitFor();
  expect(await stored()).toMatchObject({ send_at: `${DAY} 15:45:00`, version: 3 });
  await first.leave();
  await second.leave(/status of 409/);
});

describe('the calendar', () => {
  const cellOf = (page: Page, day: string) => page.locator(`td[data-day="${day}"]`);
  const itemOf = (page: Page, day: string) => cellOf(page, day).locator(`[data-item="${id}"]`);
  const at = (day: string, time: string) => ({ send_at: `${day.replaceAll('-', '/')} ${time}:00` });
  /** Each test uses its own time, because reservations at one time would be merged. */
  const planOn = (day: string, time: string) =>
    client.put(`/reservation/${id}`, { version: 1, update_info: at(day, time) });

  test('a reservation is moved over the end of a month by keyboard alone', async () => {
    await planOn(LAST, '09:15');
    const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/reservations');
    await pressTo(page, 'Tab', page.getByRole('button', { name: 'カレンダー' }));
    await page.keyboard.press('Enter');
    await page.locator('td[data-day]').first().waitFor();
    await pressTo(page, 'Tab', page.locator('td[data-day][tabindex="0"]'));
    await page.keyboard.press('PageDown');
    await page.keyboard.press('Home');
    const steps = (Date.parse(LAST) - Date.parse(dayOf(Date.now()))) / DAY_MS;
    for (let step = 0; step < steps; step += 1) await page.keyboard.press('ArrowRight');
    await eventually(() => isFocused(page, cellOf(page, LAST)), Boolean);
    await itemOf(page, LAST).waitFor();
    await pressTo(page, 'Tab', itemOf(page, LAST));
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText(/9:15 → .*9:15/).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText(/9:15・3社に変更しました/).waitFor();
    // The focus moves with it.
    await eventually(() => isFocused(page, itemOf(page, FIRST)), Boolean);
    expect(await stored()).toMatchObject(at(FIRST, '09:15'));
    await leave();
  });

  test('a reservation is dragged over the end of a month; a day that is not offered takes none', async () => {
    await planOn(LAST, '10:30');
    const address = `/reservations?view=calendar&date=${LAST}`;
    const { page, leave } = await enter(kaitaku.browser, kaitaku.url, address);
    const drag = async (day: string) => {
      const [from, to] = await Promise.all([itemOf(page, LAST).boundingBox(), cellOf(page, day).boundingBox()]);
      if (from === null || to === null) throw new Error('a day is not on screen');
      await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
      await page.mouse.down();
      await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 8 });
      await page.mouse.up();
    };
    await itemOf(page, LAST).waitFor();
    const sunday = addDays(LAST, (7 - new Date(LAST).getUTCDay()) % 7);
    await drag(sunday);
    await page.getByText('予約日時に土曜日・日曜日は選べません').waitFor();
    await drag(FIRST);
    await page.getByRole('button', { name: '変更を保存' }).click();
    await page.getByText(/10:30・3社に変更しました/).waitFor();
    await itemOf(page, FIRST).waitFor();
    expect(await stored()).toMatchObject(at(FIRST, '10:30'));
    await leave();
  });
});
