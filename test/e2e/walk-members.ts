import type { Page } from 'playwright-core';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { intercept, letThrough } from './intercept.ts';
import { closeDialog, field, press, when, whenLoaded } from './walk-steps.ts';

const MEMBERS = '/member/list';
const INVITATIONS = '/invitation/list';
const INVITE = '/invitation';
const MEMBER = '/member/2';

const member = (id: number, name: string, email: string, more: object = {}) => ({
  id,
  name,
  email,
  role: 'sales',
  sender_group_ids: null,
  active: 1,
  is_me: 0,
  version: 'v1',
  last_login_at: '2026/11/26 18:40:00',
  two_factor: 0,
  reservations: 0,
  ...more,
});
const TEAM = [
  member(1, '田中 直樹', 'tanaka@example.com', { role: 'admin', is_me: 1, two_factor: 1 }),
  member(2, '鈴木 彩', 'suzuki@kaitaku-demo.example', { sender_group_ids: [1], two_factor: 1, reservations: 2 }),
  member(3, '木村 健太郎', 'kentaro.kimura@kakuu-shoji.example.jp', { role: 'viewer', last_login_at: null }),
  member(5, '伊藤 翼', 'ito@example.com'),
  member(4, '佐藤 花子', 'sato@example.com', { active: 0, role: 'admin' }),
];
const invitation = (id: number, email: string, more: object = {}) => ({
  id,
  email,
  role: 'sales',
  sender_group_ids: null,
  state: 'waiting',
  mail_state: 'sent',
  invited_by: '田中 直樹',
  expires_at: formatSecond(Date.now() + 5.5 * DAY_MS),
  created_at: '2026/11/26 12:00:00',
  ...more,
});
const INVITED = [
  invitation(9, 'mori@example.com', { role: 'viewer', mail_state: 'failed' }),
  invitation(8, 'yamamoto@example.com'),
  invitation(7, 'hayashi@example.com', { state: 'expired', sender_group_ids: [1] }),
];
const SKIPPED = {
  status: 'added',
  invited: 1,
  skipped: [
    { email: 'suzuki@kaitaku-demo.example', reason: 'already_member' },
    { email: 'sato@example.com', reason: 'stopped' },
    { email: 'たなか', reason: 'invalid' },
  ],
};
const LAST_ADMIN = {
  code: 'last_admin',
  message: '最後の管理者のため、変更できません。先にほかの人を管理者にしてください。',
};
const NO_HEIR = {
  code: 'invalid_input',
  message: '入力に誤りがあります。',
  details: [{ path: 'hand_over_to', message: 'この人は、「首都圏営業部」では操作できないため、引き継げません' }],
};

const act = async (page: Page, name: string, entry: string) => {
  await press(page, `${name}の操作`);
  await page.getByRole('button', { name: entry, exact: true }).click();
};

/** Walks through the members, their invitations, and what an admin does about them. Changes nothing. */
export async function* members(page: Page, url: string): AsyncGenerator<string> {
  await intercept(page, MEMBERS, (route) => route.fulfill({ json: TEAM }));
  await intercept(page, INVITATIONS, (route) => route.fulfill({ json: INVITED }));
  await page.goto(`${url}/settings/members`);
  yield* when(page, '送信できませんでした', 'settings-members');
  await press(page, '鈴木 彩の操作');
  yield* when(page, 'パスワードの再設定を送る', 'settings-members-menu');
  await page.keyboard.press('Escape');
  await page.getByText('役割でできること').click();
  yield* when(page, 'メンバーの招待・役割・利用の停止', 'settings-members-rights');
  yield* invite(page);
  yield* changes(page);
  letThrough(page, MEMBERS);
  letThrough(page, INVITATIONS);
}

async function* invite(page: Page): AsyncGenerator<string> {
  await press(page, 'メンバーを招待');
  await page.getByRole('dialog').getByLabel('選ぶ').check();
  await press(page, '招待');
  yield* when(page, '送信者グループを1つ以上選んでください', 'settings-members-invite');
  await page.getByRole('dialog').getByLabel('すべて').check();
  await field(page, 'メールアドレス（必須）').fill(
    'mori@example.com\nsuzuki@kaitaku-demo.example\nsato@example.com\nたなか',
  );
  await intercept(page, INVITE, (route) => route.fulfill({ json: SKIPPED }));
  await press(page, '招待');
  yield* when(page, '次の3件は招待していません', 'settings-members-skipped');
  letThrough(page, INVITE);
  await page.keyboard.press('Escape');
  yield* when(page, '入力した招待を破棄しますか？', 'settings-members-discard');
  await press(page, '破棄');
}

async function* changes(page: Page): AsyncGenerator<string> {
  await intercept(page, MEMBER, (route) => route.fulfill({ status: 409, json: LAST_ADMIN }));
  await act(page, '鈴木 彩', '役割を変更');
  await press(page, '保存');
  yield* when(page, '最後の管理者のため', 'settings-members-role');
  await closeDialog(page);
  await act(page, '鈴木 彩', '送信者グループを変更');
  await page.getByRole('dialog').getByLabel('首都圏営業部').waitFor();
  yield* whenLoaded(page, 'settings-members-groups');
  await closeDialog(page);
  letThrough(page, MEMBER);
  await intercept(page, MEMBER, (route) => route.fulfill({ status: 400, json: NO_HEIR }));
  await act(page, '鈴木 彩', '利用を停止');
  await page.getByText(/を差出人にしているものが\d+件あります。/).waitFor();
  yield* whenLoaded(page, 'settings-members-stop');
  await page.getByRole('dialog').getByRole('button', { name: '利用を停止' }).click();
  yield* when(page, /では操作できないため、引き継げません$/, 'settings-members-heir');
  await closeDialog(page);
  letThrough(page, MEMBER);
  await act(page, '鈴木 彩', '二段階認証を外す');
  yield* when(page, '鈴木 彩さんの二段階認証を外しますか？', 'settings-members-second-step');
  await closeDialog(page);
  await act(page, '佐藤 花子', 'もう一度利用する');
  yield* when(page, '佐藤 花子さんが、もう一度ログインできるようにしますか？', 'settings-members-back');
  await closeDialog(page);
}
