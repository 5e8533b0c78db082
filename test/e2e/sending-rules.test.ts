import { expect, test } from 'vitest';
import { firstAllowedDay } from '#domain/sending/picker-window.ts';
import { reservationBody } from '#test/reservations.ts';
import { demoClient, enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { field, press } from './walk-steps.ts';

const kaitaku = shareScene();

test('a closing day added on the day of a reservation names it, and links to its move to the next open time', async () => {
  const client = await demoClient(kaitaku.url);
  const [group] = (await client.get('/sender_group/list')).body as { id: number }[];
  const [sender] = (await client.get(`/sender/list?where_info[sender_group_id]=${group?.id}`)).body as { id: number }[];
  const preview = await client.get(`/attack_list/preview?sender_group_id=${group?.id}&limit_count=10`);
  const { rows } = preview.body as { rows: { prospect_id: number }[] };
  const attack_list = rows.slice(0, 1).map(({ prospect_id }) => ({ prospect_id }));
  const day = firstAllowedDay(Date.now());
  const send_at = `${day.replaceAll('-', '/')} 10:00:00`;
  const made = await client.post('/reservation', reservationBody({ sender_id: sender?.id ?? 0, send_at, attack_list }));
  const { id } = made.body as { id: number };

  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/settings/sending');
  await press(page, '休業日を追加');
  await field(page, '最初の日（必須）').fill(day);
  await field(page, '名称（必須）').fill('棚卸し');
  await page.getByRole('dialog').getByRole('button', { name: '追加' }).click();
  await page.getByText('予約1件が送信ルールの時間外です').waitFor();
  await page.getByRole('link', { name: /10:00の予約の日時を変える$/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /にする$/ })
    .click();
  await press(page, '変更を保存');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const moved = (await client.get(`/reservation/${id}`)).body as { send_at: string };
  expect(moved.send_at > send_at).toBe(true);
  await leave();
});

test('a group holds its mails outside of its hours, and the end of the year is a closing day for all groups', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/settings/sending');
  const hold = page.getByRole('radio', { name: '次の送信時間になってから送る' });
  await page.getByRole('checkbox', { name: '祝日も送る' }).uncheck();
  await hold.check();
  await press(page, '保存');
  await page.getByText('送信ルールを保存しました').first().waitFor();
  await press(page, '年末年始を追加');
  const days = page.getByRole('list', { name: '会社の休業日' });
  await days.getByText('年末年始').waitFor();
  await page.reload();
  await days.getByText(/12\/29（.）〜\d{4}\/1\/3（.）/).waitFor();
  await expect.poll(() => hold.isChecked()).toBe(true);
  await expect.poll(() => page.getByRole('checkbox', { name: '祝日も送る' }).isChecked()).toBe(false);
  await leave();
});
