import type { Page } from 'playwright-core';
import { addDays, skipWeekend } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { intercept, letThrough } from './intercept.ts';
import { closeDialog, field, press, when, whenLoaded } from './walk-steps.ts';

const DAY_LIMIT = '/sender_limit/*';

/** Shows a person's daily limit on the fifth day of its ramp. */
export async function* dayLimit(page: Page): AsyncGenerator<string> {
  const today = { limit: 58, used: 38, step: 5, full_on: 10 };
  await intercept(page, DAY_LIMIT, (route) =>
    route.fulfill({
      json: { profile_id: 1, per_day: 200, ramp_from: '2026-11-20', ramp_start: 20, ramp_percent: 30, today },
    }),
  );
  await page
    .getByRole('button', { name: /を編集$/ })
    .first()
    .click();
  yield* when(page, /^今日の上限は58通です/, 'settings-sender-limit');
  await closeDialog(page);
  letThrough(page, DAY_LIMIT);
}

const RULE = '/account_rule';
const HOURS = /\/api\/v1\/sending_rules\/\d+$/;
const PRESET = '/closing_day/preset';
const CLOSING_DAYS = /\/api\/v1\/closing_day\/list/;
const DAY = { sender_group_id: null, working: 0, yearly: 0, active: 1, version: 1 };
const TODAY = dayOf(Date.now());
const YEAR = Number(TODAY.slice(0, 4));
const AFFECTED = [
  { reservation_id: 1, send_at: `${YEAR}/12/30 09:00:00`, reason: '年末年始' },
  { reservation_id: 2, send_at: `${YEAR}/12/31 09:00:00`, reason: '年末年始' },
];
const DAYS = [
  { ...DAY, id: 1, first_day: `${YEAR}-12-10`, last_day: `${YEAR}-12-10`, name: '創立記念日', yearly: 1 },
  { ...DAY, id: 2, first_day: `${YEAR}-12-29`, last_day: `${YEAR + 1}-01-03`, name: '年末年始' },
];

/** Shows the sending rules in the evening, with errors, and with the message after a save. */
export async function* rules(page: Page, url: string): AsyncGenerator<string> {
  await intercept(page, RULE, (route) =>
    route.fulfill({ json: { undo_seconds: 30, per_day: 500, per_domain: 3, across_groups: 1 } }),
  );
  await intercept(page, CLOSING_DAYS, (route) => route.fulfill({ json: DAYS }));
  await intercept(page, HOURS, async (route) => {
    if (route.method === 'PUT')
      return route.fulfill({
        json: { status: 'updated', version: 1, affected: AFFECTED, affected_count: 2, unchecked: 0 },
      });
    const now = {
      open: 0,
      reason: '時間外',
      closes_at: null,
      next_open_at: `${skipWeekend(addDays(TODAY, 1)).replaceAll('-', '/')} 08:00:00`,
      left_today: 262,
    };
    await route.fulfill({ json: { ...((await (await route.fetch()).json()) as object), now } });
  });
  await page.goto(`${url}/settings/sending`);
  yield* when(page, '創立記念日', 'settings-sending');
  await page.getByRole('heading', { name: '会社の休業日' }).evaluate((heading) => heading.scrollIntoView());
  yield* whenLoaded(page, 'settings-closing-days');
  await press(page, '曜日ごとに変える');
  yield* whenLoaded(page, 'settings-sending-weekdays');
  await press(page, '月曜日：昼休みを入れる');
  await page.getByLabel('火曜日の終わり').selectOption('7:00');
  await press(page, '保存');
  yield* when(page, '終わりの時刻は、始まりの時刻より後にしてください', 'settings-sending-refused');
  await press(page, 'すべての曜日を同じ時間にする');
  await press(page, '保存');
  yield* when(page, '予約2件が送信ルールの時間外です', 'settings-sending-affected');
  const change = { affected: AFFECTED, affected_count: 2, unchecked: 0 };
  await intercept(page, PRESET, (route) =>
    route.fulfill({ json: { status: 'added', added: 1, skipped: 0, ...change } }),
  );
  await press(page, '年末年始を追加');
  yield* when(page, /^「年末年始」を追加しました/, 'settings-closing-day-affected');
  await press(page, '休業日を追加');
  await page.getByRole('dialog').getByRole('button', { name: '追加' }).click();
  yield* when(page, '最初の日を選んでください', 'settings-closing-day-refused');
  await press(page, 'キャンセル');
  await press(page, 'CSVを取り込む');
  yield* whenLoaded(page, 'settings-closing-days-csv');
  const choose = (text: string) =>
    page
      .getByRole('dialog')
      .locator('input[type=file]')
      .setInputFiles({ name: '休業日2027.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await choose('日付,名称\n2027/2/30,棚卸し\n8月13日,夏休み\n');
  yield* when(page, /^2行を読めません/, 'settings-closing-days-csv-refused');
  await choose('日付,名称\n2027/6/1,創立記念日\n2027/8/13,夏休み\n2027/8/14,夏休み\n');
  yield* when(page, '3日を追加します', 'settings-closing-days-csv-chosen');
  await closeDialog(page);
  await page.getByRole('heading', { name: 'アカウントの上限' }).evaluate((heading) => heading.scrollIntoView());
  await field(page, '1日の上限（通）').fill('600');
  await press(page, 'アカウントの上限を保存');
  yield* when(page, 'アカウントの上限を保存しました', 'settings-account-limit-saved');
  for (const calls of [RULE, CLOSING_DAYS, HOURS, PRESET]) letThrough(page, calls);
}
