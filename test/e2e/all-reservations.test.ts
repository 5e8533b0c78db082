import type { Locator } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { firstAllowedDay } from '#domain/sending/picker-window.ts';
import { addDays, skipWeekend } from '#domain/time/calendar.ts';
import type { Client } from '#test/client.ts';
import { reservationBody } from '#test/reservations.ts';
import { eventually } from '#test/sending.ts';
import { demoClient, enter } from './demo.ts';
import { shareScene } from './scene.ts';

/** The screen of all reservations, by keyboard alone and from two tabs. */
const kaitaku = shareScene();
let client: Client;
let id = 0;

const DAY = firstAllowedDay(Date.now()).replaceAll('-', '/');
const NEXT = skipWeekend(addDays(firstAllowedDay(Date.now()), 1));

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

test('a reservation is moved, a company taken out, and the reservation deleted, by keyboard alone', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/reservations');
  const { keyboard } = page;
  const isFocused = async (target: Locator) => (await target.and(page.locator(':focus')).count()) === 1;
  const tabTo = async (target: Locator) => {
    await target.waitFor();
    for (let presses = 0; presses < 80; presses += 1) {
      if (await isFocused(target)) return;
      await keyboard.press('Tab');
    }
    throw new Error('80 times Tab does not come there');
  };
  const cellTo = async (target: Locator) => {
    for (let presses = 0; presses < 20 && !(await isFocused(target)); presses += 1) await keyboard.press('ArrowRight');
    expect(await isFocused(target)).toBe(true);
  };
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
  // The dialog gives the focus back to where it was opened.
  await eventually(() => isFocused(change), Boolean);
  await cellTo(remove);
  await keyboard.press('Enter');
  // The button waits for the number of companies.
  await dialog.getByText('2社', { exact: true }).waitFor();
  await tabTo(dialog.getByRole('button', { name: '予約を削除' }));
  await keyboard.press('Enter');
  await page.getByText('予約はありません').waitFor();
  expect((await stored()).state).toBe('deleted');
  await leave();
});

test('two tabs change one reservation: the second shows the first one’s change, and keeps its own', async () => {
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
  expect(await time(second).inputValue()).toBe('15:45');
  // A reload keeps what was typed.
  await second.page.reload();
  await eventually(
    () => time(second).inputValue(),
    (value) => value === '15:45',
  );
  await second.page.getByRole('button', { name: '変更を保存' }).click();
  await second.page.getByText(/15:45・3社に変更しました/).waitFor();
  expect(await stored()).toMatchObject({ send_at: `${DAY} 15:45:00`, version: 3 });
  await first.leave();
  await second.leave(/status of 409/);
});
