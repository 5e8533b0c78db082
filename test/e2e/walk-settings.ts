import type { Page } from 'playwright-core';
import { BLANK_PROFILE, profileFaults } from '#domain/law/profile.ts';
import { intercept, letThrough } from './intercept.ts';
import { audit } from './walk-audit.ts';
import { domains } from './walk-domains.ts';
import { inbox } from './walk-inbox.ts';
import { loginRules } from './walk-login-rules.ts';
import { mailboxes } from './walk-mailboxes.ts';
import { members } from './walk-members.ts';
import { notices } from './walk-notices.ts';
import { ownFields } from './walk-own-fields.ts';
import { dayLimit, rules } from './walk-rules.ts';
import { closeDialog, closeToasts, field, press, refuse, toSettings, when, whenLoaded } from './walk-steps.ts';

const CONFIRM = '/sender_confirmation';

/** Walks through the settings of groups and senders, and the page of a mailed link. */
export async function* settings(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(`${url}/settings/groups`);
  await page.getByRole('heading', { name: '首都圏営業部' }).waitFor();
  yield* whenLoaded(page, 'settings-groups');
  yield* awaited(page);
  await press(page, 'グループを追加');
  await press(page, '追加');
  yield* when(page, 'グループ名が入力されていません', 'settings-group-refused');
  await closeDialog(page);
  await press(page, '差出人を追加');
  yield* whenLoaded(page, 'settings-sender');
  await field(page, 'メールアドレス（必須）').fill('hanako');
  await press(page, '保存');
  yield* when(page, '差出人名が入力されていません', 'settings-sender-refused');
  await press(page, 'キャンセル');
  yield* when(page, '保存していない変更を破棄しますか？', 'settings-sender-discard');
  await press(page, '破棄');
  yield* dayLimit(page);
  yield* mailboxes(page, url);
  yield* legal(page, url);
  yield* rules(page, url);
  yield* domains(page, url);
  yield* inbox(page, url);
  yield* members(page, url);
  yield* audit(page, url);
  yield* loginRules(page, url);
  yield* notices(page, url);
  yield* ownFields(page, url);
  yield* personalData(page, url);
  yield* retention(page, url);
  yield* confirmation(page, url);
  await closeToasts(page);
}

const PROFILES = '/sender_profile/list';

/** Shows the persons after the confirmation mails were sent. */
async function* awaited(page: Page): AsyncGenerator<string> {
  const sent = { is_confirmed: 0, confirmation_sent_at: '2026/11/27 18:03:20' };
  await intercept(page, PROFILES, async (route) => {
    const rows = (await (await route.fetch()).json()) as object[];
    await route.fulfill({ json: rows.map((row) => ({ ...row, ...sent })) });
  });
  await page.reload();
  yield* when(page, /に確認メールを送りました$/, 'settings-groups-sent');
  letThrough(page, PROFILES);
  await page.reload();
}

const LEGAL = '/legal_profile/list';
const BLANK = {
  ...BLANK_PROFILE,
  confirmed: 0,
  confirmed_at: null,
  ready: 0,
  faults: profileFaults(BLANK_PROFILE, false, null),
};
/** Profiles on a server with an address that recipients can open. */
const REACHABLE = { has_public_url: 1, faults: [] };

/** Shows the stored profiles with other values. */
async function* changed(page: Page, values: object, text: string, name: string): AsyncGenerator<string> {
  await intercept(page, LEGAL, async (route) => {
    const rows = (await (await route.fetch()).json()) as object[];
    await route.fulfill({ json: rows.map((row) => ({ ...row, ...values })) });
  });
  await page.reload();
  yield* when(page, text, name);
  letThrough(page, LEGAL);
}

/** Walks through a complete and an incomplete legal profile, and the strip that names the latter. */
async function* legal(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(`${url}/settings/legal`);
  yield* when(page, '法定表示はそろいました', 'settings-legal');
  const address = field(page, '住所（必須）');
  const stored = await address.inputValue();
  await address.fill('');
  await field(page, '電話番号').fill('3');
  await press(page, '保存');
  yield* when(page, '電話番号は 03-0000-0000 の形で入力してください', 'settings-legal-refused');
  await field(page, '電話番号').fill('03-0000-0000');
  await press(page, '保存');
  await page.getByRole('link', { name: '法定表示を入力' }).waitFor();
  yield* when(page, 'あと2項目：住所、内容の確認', 'settings-legal-incomplete');
  await address.fill(stored);
  await toSettings(page, '送信者グループ');
  yield* when(page, '変更を破棄して移動しますか？', 'settings-legal-leave');
  await press(page, '編集を続ける');
  await page.getByLabel('内容を確認しました').check();
  await press(page, '保存');
  await page.getByText('法定表示はそろいました', { exact: true }).waitFor();
  yield* changed(page, BLANK, 'あと6項目：', 'settings-legal-blank');
  yield* changed(page, REACHABLE, 'https://（1通ごとの配信停止のURL）', 'settings-legal-link');
  await intercept(page, LEGAL, (route) => route.fulfill({ json: [] }));
  await page.reload();
  yield* when(page, '送信者グループがまだありません', 'settings-legal-none');
  letThrough(page, LEGAL);
  await intercept(page, LEGAL, refuse);
  await page.reload();
  yield* when(page, '読み込めませんでした', 'settings-legal-failed');
  letThrough(page, LEGAL);
}

const DISCLOSURE = '/personal_data/view';

async function* personalData(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(`${url}/settings/personal-data`);
  await page.getByRole('button', { name: '保存している内容を表示' }).waitFor();
  yield* whenLoaded(page, 'personal-data');
  await press(page, '保存している内容を表示');
  yield* when(page, 'メールアドレスを入力してください', 'personal-data-missing');
  await field(page, '本人のメールアドレス').fill('nobody@example.jp');
  await press(page, '保存している内容を表示');
  yield* when(page, 'このアドレスについて保存している内容はありません。', 'personal-data-none');
  await field(page, '本人のメールアドレス').fill('info@midori.example.jp');
  await intercept(page, DISCLOSURE, (route) => route.fulfill({ json: STORED }));
  await press(page, '保存している内容を表示');
  yield* when(page, '東京都大田区蒲田1-2-3', 'personal-data-shown');
  await press(page, '消去');
  yield* when(page, /について保存している内容を消去しますか/, 'personal-data-erase');
  await closeDialog(page);
  letThrough(page, DISCLOSURE);
}

async function* retention(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(`${url}/settings/personal-data`);
  yield* when(page, '保存期間', 'settings-retention');
  await field(page, '宛先を消す時期').selectOption('24');
  yield* when(
    page,
    '会社名、担当者名、メールアドレス、サーバーの応答を消します。消したものは元に戻せません。どの会社への送信かは、会社の詳細の履歴に残ります。',
    'settings-retention-chosen',
  );
  await press(page, '保存');
  yield* when(page, '宛先を消しますか？', 'settings-retention-confirm');
  await closeDialog(page);
  // Restores the form, because the guard would ask.
  await field(page, '宛先を消す時期').selectOption('');
}

/** The data stored about an address. */
const STORED = {
  companies: [
    {
      id: 1,
      company_name: '株式会社みどり製作所',
      company_email: 'info@midori.example.jp',
      ceo: '緑川 花子',
      address: '東京都大田区蒲田1-2-3',
      archived: 0,
      created_at: '2026/11/20 10:02:00',
      updated_at: '2026/11/20 10:02:00',
      remarks: [{ group_name: '首都圏営業部', remarks: '展示会で名刺交換' }],
      external_id: null,
      tags: ['重点'],
      custom: [{ label: 'ランク', value: 'A' }],
    },
  ],
  people: [],
  changes: [{ prospect_id: 1, at: '2026/11/21 09:00:00', field: 'ceo', old: null, new: '緑川 花子' }],
  mails: [
    {
      delivery_id: 1,
      send_log_id: 1,
      at: '2026/11/22 10:00:00',
      subject: '受発注業務の効率化のご提案',
      from: 'tanaka@example.com',
      mail_to: 'info@midori.example.jp',
      company_name: '株式会社みどり製作所',
      person_in_charge: '緑川 花子',
      state: 'sent',
      smtp_reply: '250 2.0.0 Ok',
      test_send_mode: 0,
    },
  ],
  bounces: [{ delivery_id: 1, at: '2026/11/22 10:01:00', class: 'soft', reply: '5.2.2 552 mailbox full' }],
  replies: [
    {
      prospect_id: 1,
      at: '2026/11/22 10:04:00',
      kind: 'reply',
      from: 'hanako@midori.example.jp',
      subject: 'Re: 受発注業務の効率化のご提案',
      excerpt: 'ご連絡ありがとうございます。\n今後の送信は不要です。',
    },
  ],
  suppressions: [
    {
      kind: 'address',
      value: 'info@midori.example.jp',
      class: 'refused',
      source: 'link',
      reason: '',
      note: '',
      created_at: '2026/11/22 10:05:00',
      lifted_at: null,
    },
  ],
  invitations: [],
  files: 2,
  erased: 0,
};

async function* confirmation(page: Page, url: string): AsyncGenerator<string> {
  const link = `${url}/sender-confirmation/${'A'.repeat(43)}`;
  await page.goto(link);
  await page.getByRole('button', { name: 'このアドレスを確認' }).waitFor();
  yield* whenLoaded(page, 'sender-confirmation');
  await press(page, 'このアドレスを確認');
  yield* when(page, 'このリンクは使えません。もう一度、確認メールを送ってください', 'sender-confirmation-refused');
  await intercept(page, CONFIRM, (route) =>
    route.fulfill({ json: { status: 'confirmed', email: 'hanako@example.jp' } }),
  );
  await page.goto(link);
  await press(page, 'このアドレスを確認');
  yield* when(page, 'hanako@example.jp を確認しました', 'sender-confirmation-done');
  letThrough(page, CONFIRM);
}
