import type { Page } from 'playwright-core';
import { addDays } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { intercept, letThrough } from './intercept.ts';
import { closeDialog, field, press, when, whenLoaded } from './walk-steps.ts';

const ONE = /\/api\/v1\/reservation\/\d+$/;
const CHANGED_MEANWHILE = { message: '鈴木 彩さんが2026/11/27 10:02に変更しました。', code: 'reservation_changed' };
const SAME_TIME = {
  message: '同じテンプレートの予約が、この日時にすでにあります。',
  code: 'reservation_at_that_time',
  details: [
    { path: 'id', message: '999999' },
    { path: 'targets', message: '40' },
  ],
};

const STARTED = {
  message: 'この予約の送信はすでに始まっているため、変更できません。送信ログを確認してください。',
  code: 'reservation_started',
  details: [{ path: 'send_log_id', message: '1' }],
};

/** Walks through all reservations: the list, one of them, its change and what stands in its way. It changes nothing. */
export async function* allReservations(page: Page): AsyncGenerator<string> {
  await page.getByRole('link', { name: 'すべての予約を見る' }).click();
  await page.getByRole('heading', { name: '予約', level: 1 }).waitFor();
  const fold = page.getByRole('button', { name: /^絞り込み/ });
  if ((await fold.count()) > 0) {
    yield* whenLoaded(page, 'all-reservations-folded');
    await fold.click();
  }
  await field(page, 'ステータス').selectOption({ label: '送信できていません' });
  yield* when(page, '条件に合う予約がありません', 'all-reservations-no-match');
  await press(page, '条件をクリア');
  await field(page, '種別').selectOption({ label: '本番とテスト' });
  await page.getByRole('rowheader').first().waitFor();
  yield* whenLoaded(page, 'all-reservations');
  await page
    .getByRole('link', { name: /を変更$/ })
    .first()
    .click();
  yield* when(page, /^対象の会社 \d/, 'reservation-change');
  await press(page, '今すぐ送信');
  yield* when(page, '予約日時を待たずに送信します。', 'reservation-send-now');
  await page.keyboard.press('Escape');
  yield* changes(page);
  await press(page, 'キャンセル');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  yield* ended(page);
}

/** What the server may say of a change; each time what was typed stays. */
async function* changes(page: Page): AsyncGenerator<string> {
  await field(page, '時刻').selectOption('13:15');
  yield* when(page, '変更後', 'reservation-changed');
  let refusal: object = SAME_TIME;
  await intercept(page, ONE, (route) =>
    route.method === 'PUT' ? route.fulfill({ status: 409, json: refusal }) : route.continue(),
  );
  await press(page, '変更を保存');
  yield* when(page, /同じテンプレートの予約（40社）/, 'reservation-same-time');
  refusal = STARTED;
  await press(page, '変更を保存');
  await page.getByRole('link', { name: '送信の詳細' }).waitFor();
  yield* when(page, /^この予約の送信はすでに始まっているため、変更できません/, 'reservation-started');
  refusal = CHANGED_MEANWHILE;
  await press(page, '変更を保存');
  yield* when(page, /鈴木 彩さんが/, 'reservation-conflict');
  letThrough(page, ONE);
}

/** A reservation on a holiday that was missed, and one that was sent. */
async function* ended(page: Page): AsyncGenerator<string> {
  const day = addDays(dayOf(Date.now()), -1).replaceAll('-', '/');
  const shown = [
    { state: 'missed', send_at: '2026/11/23 07:00:00', refused_reason: '理由がわかりません。' },
    { state: 'sent', send_at: `${day} 08:00:00`, send_log_id: 1 },
  ];
  for (const values of shown) {
    await intercept(page, ONE, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...((await answer.json()) as object), ...values } });
    });
    await page
      .getByRole('link', { name: /を変更$/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('履歴').click();
    yield* whenLoaded(page, `reservation-${values.state}`);
    await closeDialog(page);
    letThrough(page, ONE);
  }
}
