import type { Page } from 'playwright-core';
import { intercept, letThrough } from './intercept.ts';
import { field, refuse, when } from './walk-steps.ts';

const VIEW = '/audit/view';

const row = (id: number, at: string, who: string, text: string, subject: object | null = null) => ({
  id,
  at: `2026/11/${at}`,
  member_id: 1,
  who,
  text,
  subject,
});
const about = (type: string, name: string, is_gone: 0 | 1 = 0) => ({ type, id: 1, name, is_gone });

/** Short and long sentences, with each look of a subject. */
const ROWS = [
  row(
    9,
    '29 13:02:11',
    '鈴木 彩',
    '100社への送信を始めました（確認した警告 2件）',
    about('run', '受発注の手間を半分にする方法のご紹介'),
  ),
  row(
    8,
    '29 09:00:00',
    '田中 直樹',
    'アカウントの決まりを変更しました（送信の取り消し 30秒・1日の上限 なし・同じドメインの上限 5通・グループをまたぐ再送信間隔 オン・書き出しを管理者だけにする オフ・全員に二段階認証を求める オン）',
  ),
  row(7, '28 18:40:00', '木村 健太郎', 'ログインしました（パスワード・認証アプリ・接続元 203.0.113.0/24）'),
  row(
    6,
    '28 18:39:12',
    '木村 健太郎',
    'この人のアドレスでのログインを断りました（認証コードの間違い・1時間に10回目・接続元 203.0.113.0/24）',
  ),
  row(5, '28 12:00:00', 'サーバーの管理者', '役割を「営業」から「管理者」に変更しました', about('member', '鈴木 彩')),
  row(
    4,
    '27 10:31:00',
    'メールの受信者',
    '配信停止を希望しました（ワンクリック停止）',
    about('company', '株式会社あおぞら総合電子製作所ホールディングス東日本'),
  ),
  row(3, '27 10:30:00', '鈴木 彩', 'フォルダ「秋の展示会」を削除しました', about('folder', '（削除済み）', 1)),
  row(
    2,
    '26 09:12:00',
    '鈴木 彩',
    '会社を取り込みました（追加 1,200社・更新 30社・取り込めない行 2行）',
    about('import', '見込み客_2026年11月.csv'),
  ),
];

/** Walks through the audit: long sentences, a period with a fault, more events than it shows, none. Changes nothing. */
export async function* audit(page: Page, url: string): AsyncGenerator<string> {
  await intercept(page, VIEW, (route) => route.fulfill({ json: { rows: ROWS, total: ROWS.length, is_more: 0 } }));
  await page.goto(`${url}/settings/audit`);
  yield* when(page, /^アカウントの決まりを変更しました/, 'settings-audit');
  await intercept(page, VIEW, (route) => route.fulfill({ json: { rows: ROWS, total: 10_000, is_more: 1 } }));
  await page.goto(`${url}/settings/audit?kind=sending&period=custom&from=2026-11-30&to=2026-11-01`);
  await field(page, '終了日').waitFor();
  yield* when(page, '終了日は、開始日以降の日にしてください', 'settings-audit-fault');
  await page.goto(`${url}/settings/audit?period=year`);
  yield* when(page, /^新しいものから10,000件を表示しています。/, 'settings-audit-more');
  await intercept(page, VIEW, (route) => route.fulfill({ json: { rows: [], total: 0, is_more: 0 } }));
  await page.goto(`${url}/settings/audit?kind=operator`);
  yield* when(page, '条件に合う操作がありません', 'settings-audit-none');
  await intercept(page, VIEW, refuse);
  await page.goto(`${url}/settings/audit`);
  yield* when(page, '読み込めませんでした', 'settings-audit-failed');
  letThrough(page, VIEW);
}
