import type { Page } from 'playwright-core';
import { addDays, skipWeekend } from '#domain/time/calendar.ts';
import { dayOf, formatSecond } from '#domain/time/tokyo-time.ts';
import { hold } from './browser.ts';
import { intercept, letThrough } from './intercept.ts';
import { faultyDomain } from './walk-domains.ts';
import {
  CHECK,
  CHECKED,
  closeDialog,
  dayIn,
  field,
  openFilters,
  openSelects,
  press,
  pressOrder,
  RUN,
  tab,
  tickWarnings,
  toggle,
  when,
  whenLoaded,
} from './walk-steps.ts';

/** The second text appears if a reservation at that time already exists. */
const RESERVED = /^(メールが予約されました|メールの予約が更新されました)$/;
const RULE = '/account_rule';
const GROUP_RULES = /\/api\/v1\/sending_rules\/\d+$/;
const PREVIEW = '/attack_list/preview';
const LEGAL_FAULTS = [
  {
    code: 'L2',
    level: 'error',
    path: 'legal_profile.postal_address',
    message: '住所を入力してください。',
  },
  {
    code: 'L6',
    level: 'error',
    path: 'mail_template.html_body',
    message: '配信停止のURLのすぐ前か後に、受信を拒否できることを書いてください。',
  },
  { code: 'L11', level: 'warning', path: 'sender.subject', message: '件名が返信や取引の連絡に見えます。' },
  { code: 'L13', level: 'warning', path: 'attack_list', message: '個人宛てと思われるアドレスが12件あります。' },
];

async function confirm(page: Page, answer: string): Promise<void> {
  await pressOrder(page);
  await tickWarnings(page);
  await page.getByRole('dialog').getByRole('button', { name: answer, exact: true }).click();
}

export async function* sending(page: Page): AsyncGenerator<string> {
  // Its domain differs from the sender's and the member's.
  await field(page, 'テスト送信先').fill('test+[n]@example.net');
  await page.getByRole('gridcell', { name: 'test+1@example.net' }).waitFor();
  yield* unlawful(page, '法律の求める表示が足りません。テスト送信はできますが', 'reserve-dialog-unlawful');
  await pressOrder(page);
  yield* when(page, 'テスト送信先が自社のアドレスではありません', 'reserve-dialog');
  await closeDialog(page);
  const slow = await hold(page, /api\/v1\/reservation$/);
  await confirm(page, '10通のテスト送信を予約');
  yield* when(page, /^メール(を予約|予約を更新)中$/, 'reserve-dialog-busy');
  slow.letGo();
  yield* when(page, RESERVED, 'reserved');
  await pressOrder(page);
  yield* when(page, '同じ日時に予約があります', 'reserve-dialog-joins');
  await closeDialog(page);
  await toggle(page, 'テストモード');
  await pressOrder(page);
  yield* when(page, CHECKED, 'reserve-dialog-real');
  await closeDialog(page);
  yield* limitedReservation(page);
  await pressOrder(page);
  await tickWarnings(page);
  await page.getByRole('dialog').getByRole('button', { name: '10社への送信を予約' }).click();
  await page.getByText(RESERVED).waitFor();
  await toggle(page, '候補日を入れる');
  await toggle(page, '予約モード');
  await pressOrder(page);
  yield* when(page, CHECKED, 'send-dialog');
  await closeDialog(page);
  await intercept(page, RULE, (route) => route.fulfill({ json: { undo_seconds: 30 } }));
  await pressOrder(page);
  yield* when(page, '送信から30秒の間は取り消せます。', 'send-dialog-undo');
  letThrough(page, RULE);
  await closeDialog(page);
  yield* limited(page);
  yield* unlawful(page, '法律の求める表示が足りないため、送信と予約ができません', 'send-dialog-unlawful');
  yield* faultyDomain(page);
  await field(page, '取得件数').selectOption('100');
  await page.getByRole('button', { name: '100社に送信' }).waitFor();
  await pressOrder(page);
  await page.getByText(CHECKED).waitFor();
  await field(page, '確認のため、会社の数（100）を入力してください').fill('10');
  await page.keyboard.press('Tab');
  yield* when(page, '会社の数が違います。', 'send-dialog-many');
  await closeDialog(page);
  await field(page, '取得件数').selectOption('10');
  await page.getByRole('button', { name: '10社に送信' }).waitFor();
  yield* run(page);
}

/** Makes a daily limit spread the mails of an order over several days. */
async function shareMails(page: Page, plan: readonly object[], change: (rows: Rows) => Rows = (rows) => rows) {
  await intercept(page, GROUP_RULES, async (route) => {
    const json = (await (await route.fetch()).json()) as { now: object };
    await route.fulfill({ json: { ...json, now: { ...json.now, left_today: 3 } } });
  });
  await intercept(page, PREVIEW, async (route) => {
    const json = (await (await route.fetch()).json()) as { rows: Rows };
    const domain_rule = { per_domain: 1, shared_domains: [] };
    await route.fulfill({ json: { ...json, rows: change(json.rows), plan, domain_rule } });
  });
}
const nextWorkday = (day: string): string => skipWeekend(addDays(day, 1));

type Rows = readonly { company_email: string }[];

async function* limitedReservation(page: Page): AsyncGenerator<string> {
  const day = await dayIn(page, '予約日時');
  await shareMails(page, [
    { day, mails: 4 },
    { day: nextWorkday(day), mails: 6 },
  ]);
  await pressOrder(page);
  await page.getByText(CHECKED).waitFor();
  yield* when(page, '1日の上限のため、日を分けて送信します。', 'reserve-dialog-limited');
  await closeDialog(page);
  letThrough(page, GROUP_RULES);
  letThrough(page, PREVIEW);
}

/** Walks through an order that a daily limit cuts, and a list with two companies of a domain. */
async function* limited(page: Page): AsyncGenerator<string> {
  const today = dayOf(Date.now());
  const plan = [
    { day: today, mails: 3 },
    { day: nextWorkday(today), mails: 7 },
  ];
  await shareMails(page, plan, (rows) =>
    rows.map((row, n) => (n === 1 || n === 2 ? { ...row, company_email: `info${n}@group.example` } : row)),
  );
  await pressOrder(page);
  yield* when(page, '1日の上限のため、日を分けて送信します。', 'send-dialog-limited');
  await closeDialog(page);
  await field(page, '取得件数').selectOption('50');
  yield* when(page, '同じドメインの上限のため送りません', 'attack-list-domain');
  await page.getByRole('button', { name: '同じドメインの上限 1社' }).click();
  yield* whenLoaded(page, 'left-out-domain');
  await closeDialog(page);
  letThrough(page, GROUP_RULES);
  letThrough(page, PREVIEW);
  await field(page, '取得件数').selectOption('10');
  await page.getByRole('button', { name: '10社に送信' }).waitFor();
}

/** Walks through an order whose mails lack what the law requires, and one with a warning. */
async function* unlawful(page: Page, text: string, name: string): AsyncGenerator<string> {
  await intercept(page, CHECK, async (route) => {
    const answer = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...answer, legal_faults: LEGAL_FAULTS } });
  });
  await pressOrder(page);
  yield* when(page, text, name);
  await closeDialog(page);
  letThrough(page, CHECK);
}

/** Walks through a run; it is first shown in its undo window and half-way, at any real speed. */
async function* run(page: Page): AsyncGenerator<string> {
  const starts_at = formatSecond(Date.now() + 60_000);
  const window = { queued: 10, sending: 0, sent: 0, finished: false, starts_at };
  const halfWay = { queued: 6, sending: 0, sent: 4, finished: false };
  let shown: object = window;
  await intercept(page, RUN, async (route) => {
    const json = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...json, ...shown } });
  });
  await confirm(page, '10社に送信');
  yield* when(page, '10社に送信します。', 'sending-undo');
  shown = halfWay;
  yield* when(page, '4 / 10通', 'sending');
  await tab(page, '見込み客リスト');
  yield* when(page, '4/10', 'sending-prospects');
  await page.getByRole('button', { name: /^メールを送信中/ }).click();
  yield* when(page, '4 / 10通', 'sending-panel');
  await closeDialog(page);
  shown = {};
  yield* when(page, 'メールが送信されました', 'sent');
  letThrough(page, RUN);
  await openFilters(page, true);
  await field(page, '業種').fill('製造、建設、小売、宿泊');
  await field(page, 'メール').selectOption({ label: 'あり' });
  yield* when(page, /^該当 \d{3}社/, 'prospects-contacted');
  await press(page, '条件をクリア');
  await page.getByText('該当 1,000社').waitFor();
}

export async function* reservations(page: Page): AsyncGenerator<string> {
  await openFilters(page, false);
  await tab(page, '予約リスト');
  await page.getByRole('rowheader').first().waitFor();
  yield* whenLoaded(page, 'reservations');
  await press(page, '予約を削除');
  yield* when(page, '削除対象が選択されていません', 'reservations-nothing-chosen');
  await field(page, '予約').selectOption({ index: 1 });
  await press(page, '予約を削除');
  yield* when(page, '本当に予約を削除しますか？', 'delete-dialog');
  await closeDialog(page);
  await openSelects(page);
  await field(page, 'テンプレート').selectOption({ index: 1 });
  yield* when(page, 'このテンプレートの予約はありません', 'reservations-none');
}
