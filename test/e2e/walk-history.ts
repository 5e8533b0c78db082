import type { Page } from 'playwright-core';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import { intercept, letThrough } from './intercept.ts';
import { followUp } from './walk-follow-up.ts';
import { closeDialog, closeToasts, press, RUN, when, whenLoaded } from './walk-steps.ts';

/** Walks through the sent mails: the list of runs, a run, its mails, and the actions on each. */
export async function* history(page: Page): AsyncGenerator<string> {
  await page.getByRole('link', { name: '送信履歴' }).click();
  // The list of prospects has a button of the same name.
  await page.getByRole('heading', { name: '送信履歴', level: 1 }).waitFor();
  const fold = page.getByRole('button', { name: /^絞り込み/ });
  await fold.or(page.getByLabel('ステータス')).first().waitFor();
  if ((await fold.count()) > 0) {
    yield* whenLoaded(page, 'sends-folded');
    await fold.click();
  }
  await page.getByLabel('種別').selectOption({ label: 'テストのみ' });
  await page.getByLabel('ステータス').selectOption({ label: '一時停止中' });
  yield* when(page, '条件に合う送信がありません', 'sends-no-match');
  await press(page, '条件をクリア');
  await page.getByRole('rowheader').first().waitFor();
  if ((await fold.count()) > 0) await fold.click();
  yield* whenLoaded(page, 'sends');
  yield* restored(page);
  await page.getByRole('rowheader').first().getByRole('link').click();
  await page.getByText('送信済み').first().waitFor();
  yield* whenLoaded(page, 'send');
  await page.getByText('時間ごとの結果').click();
  yield* when(page, 'ごとの数です', 'send-results');
  await page.getByText('時間ごとの結果').click();
  await page
    .getByRole('button', { name: /へのメールを表示$/ })
    .first()
    .click();
  await page.getByRole('dialog').getByText('受発注業務の効率化のご提案').waitFor();
  yield* whenLoaded(page, 'sent-mail');
  await closeDialog(page);
  const run = page.url();
  yield* followUp(page);
  yield* openRun(page, run);
}

const RESTORED = /\/api\/v1\/restored$/;

/** Shows runs and reservations on hold since a restore. The confirmation for all of them is cancelled. */
async function* restored(page: Page): AsyncGenerator<string> {
  await intercept(page, RESTORED, (route) => route.fulfill({ json: { runs: 2, mails: 40, reservations: 3, over: 1 } }));
  await page.reload();
  await press(page, 'すべて予定どおり送信する');
  await page.getByRole('dialog').waitFor();
  yield* whenLoaded(page, 'sends-restored-all');
  await closeDialog(page);
  yield* whenLoaded(page, 'sends-restored');
  letThrough(page, RESTORED);
  await page.reload();
  await page.getByRole('rowheader').first().waitFor();
}

const MAILS = /\/api\/v1\/send_log\/\d+\/deliveries\?/;
const ORIGIN = /\/api\/v1\/send_log\/\d+\/origin$/;
const MAIL = /\/api\/v1\/delivery\/\d+$/;

/**
 * Shows the run as open, with two unknown mails and one refused.
 * It cancels each dialog, and changes nothing.
 */
async function* openRun(page: Page, run: string): AsyncGenerator<string> {
  let paused_by: 'sender_refused' | 'restored' | null = null;
  let limited_until: string | null = null;
  let database_rewound = false;
  let mail: object = UNKNOWN;
  await intercept(page, RUN, async (route) => {
    const response = await route.fetch();
    const counts = {
      queued: 3,
      sending: 0,
      sent: 4,
      failed: 1,
      unknown: 2,
      finished: false,
      replied: 1,
      refused: 1,
      paused_by,
      limited_until,
      database_rewound,
    };
    await route.fulfill({ json: { ...((await response.json()) as object), ...counts } });
  });
  await intercept(page, MAILS, async (route) => {
    const response = await route.fetch();
    const { rows, total } = (await response.json()) as { rows: object[]; total: number };
    const shown = rows.map((row, n) => ({ ...row, ...STATES[n] }));
    await route.fulfill({ json: { rows: shown, total } });
  });
  await intercept(page, MAIL, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ json: { ...((await response.json()) as object), ...mail } });
  });
  await intercept(page, ORIGIN, (route) => route.fulfill({ json: LISTED }));
  await page.goto(run);
  await page.getByRole('button', { name: 'もう一度送信' }).first().waitFor();
  await page.getByText('地域: 東京').waitFor();
  yield* whenLoaded(page, 'send-open');
  await openMenu(page);
  yield* whenLoaded(page, 'send-menu');
  await page.keyboard.press('Escape');
  for (const [button, name] of QUESTIONS) {
    await press(page, button);
    await page.getByRole('dialog').waitFor();
    yield* whenLoaded(page, name);
    await closeDialog(page);
  }
  await page
    .getByRole('button', { name: /へのメールを表示$/ })
    .first()
    .click();
  yield* when(page, '送信の途中で接続や記録が途切れたため', 'unknown-mail');
  await closeDialog(page);
  mail = NO_SUCH_USER;
  await page
    .getByRole('button', { name: /へのメールを表示$/ })
    .nth(2)
    .click();
  yield* when(
    page,
    /このアドレスにはメールが届かないため、送信を止めています（.*11\/20（金）9:00から）/,
    'failed-mail',
  );
  await press(page, 'このアドレスに送り直す');
  yield* when(page, 'メールアドレスを入力してください', 'mend-address');
  await closeDialog(page);
  mail = UNAUTHENTICATED;
  await page
    .getByRole('button', { name: /へのメールを表示$/ })
    .nth(2)
    .click();
  yield* when(page, '相手のサーバーによる拒否が続いたため', 'refused-mail');
  await closeDialog(page);
  paused_by = 'sender_refused';
  await page.reload();
  yield* when(page, '差出人のメールアドレスがメールサーバーに拒否された', 'send-refused');
  paused_by = 'restored';
  await page.reload();
  await page.getByRole('button', { name: '予定どおり送信する' }).waitFor();
  yield* whenLoaded(page, 'send-restored');
  [paused_by, limited_until] = [null, formatSecond(Date.now() + 2 * HOUR_MS)];
  await page.reload();
  yield* when(page, 'メールサーバーの送信の上限に達したため', 'send-limited');
  [limited_until, database_rewound] = [null, true];
  await page.reload();
  yield* when(page, 'データベースが過去の状態に戻っています。', 'send-rewound');
  for (const changed of [RUN, MAILS, MAIL, ORIGIN]) letThrough(page, changed);
  await closeToasts(page);
}

const openMenu = (page: Page) => press(page, 'その他の操作');

const LISTED = {
  member_name: '田中 直樹',
  sender_group_id: 1,
  sender_id: 1,
  from: { name: '田中 直樹', address: 'tanaka@example.com' },
  days_from_lastday: 30,
  list_conditions: { major_industry_type: '製造業, 卸売業', address: '東京', amount_of_sales_from: 100_000_000 },
  companies_chosen: false,
  left_out: [
    { reason: 'suppressed', count: 2 },
    { reason: 'recently_sent', count: 1 },
  ],
};
const UNKNOWN = { state: 'unknown', cause: 'connection_lost', smtp_reply: null };
const NO_SUCH_USER = {
  state: 'failed',
  test_send_mode: 0,
  cause: 'unknown_address',
  smtp_reply: '550 5.1.1 User unknown',
  suppressed: {
    id: 3,
    kind: 'address',
    class: 'undeliverable',
    source: 'smtp',
    reason: '550 5.1.1 User unknown',
    created_at: '2026/11/20 09:00:00',
  },
};
const UNAUTHENTICATED = {
  state: 'failed',
  test_send_mode: 0,
  cause: 'authentication',
  smtp_reply: '550 5.7.26 This mail is unauthenticated',
  run_paused_by: 'policy_bounces',
  suppressed: null,
};
const STATES: readonly object[] = [
  UNKNOWN,
  UNKNOWN,
  { state: 'failed', cause: 'unknown_address', smtp_reply: '550 5.1.1 User unknown' },
];

/** The confirmations to show; the others look the same. */
const QUESTIONS = [
  ['中止', 'cancel-dialog'],
  ['送信済みとして扱う', 'count-as-sent-dialog'],
] as const;
