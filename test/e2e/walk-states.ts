import type { Page } from 'playwright-core';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { MINUTE_MS } from '#domain/time-units.ts';
import { intercept, letThrough } from './intercept.ts';
import { refuse, when } from './walk-steps.ts';

/** States that depend on the server: a fixed answer replaces the real one. */

/** Answers by path; null: refused. */
type Answers = readonly (readonly [path: string, json: object | null])[];

async function* answered(page: Page, url: string, answers: Answers, text: string, name: string) {
  for (const [path, json] of answers) {
    await intercept(page, path, (route) => (json === null ? refuse(route) : route.fulfill({ json })));
  }
  await page.goto(url);
  yield* when(page, text, name);
  for (const [path] of answers) letThrough(page, path);
}

const GROUPS = '/sender_group/list';
const SENDERS = '/sender/list';
const PROSPECTS = '/prospect/view';
const TARGETS = '/attack_list/preview';
const RESERVATIONS = '/reservation/list';
const RUNS = '/send_log/view';
const ALL = '/reservation/view';
const RUN = '/send_log/1';
const TEMPLATE = '/mail_template/1';
const COMPANY = '/prospect/1';
const NO_ROWS = { rows: [], total: 0 };
const NO_TARGETS = { rows: [], matched: 0, eligible: 0, left_out: {} };
const LEFT_OUT = { recently_sent: 32, suppressed: 9, inactive: 3, no_email: 1 };
const NOBODY = { ...NO_TARGETS, matched: 45, left_out: LEFT_OUT, next_at: '2026/12/07 10:00' };
const DUE = { test_send_mode: 0, send_at: '2026/11/20 09:00:00' };
/** The server may still try it. */
const LATER = { test_send_mode: 0, send_at: formatSecond(Date.now() - 10 * MINUTE_MS) };
const UNSENT = [
  { ...DUE, id: 999_998, is_missed: 1, refused_reason: null },
  { ...LATER, id: 999_999, is_missed: 0, refused_reason: 'テンプレートに誤りがあります。' },
];
const FAILED = '読み込めませんでした';
/** The button of a failed list. The selects contain FAILED too, which is hidden until they open. */
const RETRY = '再読み込み';

/** Walks through empty accounts, lists that fail to load, and missing pages. */
export async function* rareStates(page: Page, url: string): AsyncGenerator<string> {
  const list = (tab: string) => `${url}/?tab=${tab}`;
  yield* answered(page, url, [[GROUPS, []]], '送信者グループがないため、見込み客を表示できません', 'no-group');
  const noTemplate: Answers = [[SENDERS, []]];
  yield* answered(page, list('reservations'), noTemplate, 'テンプレートがないため、予約を表示', 'no-template');
  yield* answered(page, url, [[PROSPECTS, NO_ROWS]], '見込み客がまだ登録されていません', 'prospects-none');
  yield* answered(page, list('attack-list'), [[TARGETS, NO_TARGETS]], 'アタックリストが0件です', 'attack-list-empty');
  yield* answered(page, list('attack-list'), [[TARGETS, NOBODY]], '送れる会社がありません。', 'attack-list-nobody');
  yield* answered(page, `${url}/sends`, [[RUNS, NO_ROWS]], '送信の履歴はまだありません', 'sends-none');
  yield* answered(page, list('attack-list'), [[TARGETS, null]], FAILED, 'attack-list-failed');
  yield* answered(page, list('reservations'), [[RESERVATIONS, null]], FAILED, 'reservations-failed');
  yield* answered(
    page,
    list('reservations'),
    [[RESERVATIONS, UNSENT]],
    '送信を始められませんでした',
    'reservations-unsent',
  );
  yield* answered(page, `${url}/reservations`, [[ALL, NO_ROWS]], '予約はありません', 'all-reservations-none');
  yield* answered(page, `${url}/reservations`, [[ALL, null]], FAILED, 'all-reservations-failed');
  yield* answered(page, `${url}/reservations/999999`, [], 'この予約は見つかりません', 'reservation-not-found');
  yield* answered(page, `${url}/sends`, [[RUNS, null]], FAILED, 'sends-failed');
  yield* answered(page, `${url}/sends/1`, [[RUN, null]], FAILED, 'send-failed');
  yield* answered(page, `${url}/template/1`, [[TEMPLATE, null]], FAILED, 'template-failed');
  yield* answered(page, url, [[GROUPS, null]], RETRY, 'groups-failed');
  yield* answered(page, `${url}/account`, [['/account/*', null]], FAILED, 'account-failed');
  yield* answered(page, `${url}/sends/999999`, [], 'この送信は見つかりません', 'send-not-found');
  yield* answered(page, `${url}/prospects/999999`, [], 'この会社は見つかりません', 'company-not-found');
  yield* answered(page, `${url}/prospects/1`, [[COMPANY, null]], FAILED, 'company-failed');
  yield* answered(page, `${url}/template/999999`, [], 'テンプレートが見つかりません', 'template-not-found');
  yield* moving(page, url);
}

/** Shows an account whose data are being moved to another server: each call is answered so. */
async function* moving(page: Page, url: string) {
  const json = {
    code: 'account_frozen',
    message: 'データを移行しています。しばらくしてから、もう一度開いてください。',
  };
  await intercept(page, PROSPECTS, (route) => route.fulfill({ status: 503, json }));
  await page.goto(url);
  yield* when(page, 'データの移行中', 'data-moving');
  letThrough(page, PROSPECTS);
}
