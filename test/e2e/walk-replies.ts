import type { Page } from 'playwright-core';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { intercept, letThrough } from './intercept.ts';
import { closeToasts, field, press, when, whenLoaded } from './walk-steps.ts';

const VIEW = '/prospect/view';
const COMPANY = /\/api\/v1\/prospect\/\d+$/;
const REPLIES = '/reply/view';
const REPLY = /\/api\/v1\/reply(?:\/\d+)?$/;

interface Answer {
  readonly kind: string;
  readonly is_doubtful: number;
  readonly handled_at: string | null;
}

const ANSWER = {
  id: 1,
  prospect_id: 1,
  company_name: '株式会社みどり製作所',
  kind: 'reply',
  from_address: 'hanako.midorikawa@midori-seisakusho.example.jp',
  from_check: 'checked',
  from_company: null,
  folded: 0,
  subject: 'Re: 受発注業務の効率化のご提案',
  excerpt:
    'ご連絡ありがとうございます。来月の部内会議で検討したいので、料金表と導入事例の資料をお送りいただけますか。\n\n' +
    'よろしくお願いいたします。\n緑川',
  is_refusal: 0,
  is_doubtful: 0,
  is_unclear: 0,
  at: '2026/11/21 10:04:00',
  handled_at: null,
  handled_by: null,
  noted_by: null,
  delivery_id: 1,
  send_log_id: 1,
};
const REFUSING = {
  ...ANSWER,
  id: 2,
  from_address: 'somu@midori-seisakusho.example.jp',
  excerpt: '今後は送らないでください。',
  is_refusal: 1,
};
const UNCHECKED = {
  ...REFUSING,
  id: 6,
  from_address: 'webmaster-and-general-affairs@aozora-shokai.example.jp',
  from_check: 'unchecked',
  from_company: { id: 2, company_name: '株式会社あおぞら商会' },
  folded: 37,
};
const DOUBTFUL = { ...ANSWER, id: 7, excerpt: 'せっかくのご案内ですが、結構です。', is_doubtful: 1 };
const AWAY = {
  ...ANSWER,
  id: 3,
  kind: 'auto_reply',
  subject: '【自動返信】不在のお知らせ',
  excerpt: '11月24日まで不在にしております。',
};
const NOTED = {
  ...ANSWER,
  id: 4,
  kind: 'manual',
  from_address: '',
  from_check: 'none',
  subject: '',
  excerpt: '電話で返事がありました',
  noted_by: '田中 直樹',
  delivery_id: null,
  send_log_id: null,
};
const HANDLED = { ...ANSWER, handled_at: '2026/11/22 09:30:00', handled_by: '田中 直樹' };
const KINDS = [ANSWER, REFUSING, AWAY, NOTED, { ...HANDLED, id: 5 }, UNCHECKED];

const TOO_LONG = '200文字以内で入力してください';

/** Walks through companies that replied: in the list, beside it, and the actions on replies. It changes nothing. */
export async function* replies(page: Page, url: string): AsyncGenerator<string> {
  let shown: readonly Answer[] = KINDS;
  await intercept(page, VIEW, async (route) => {
    const { rows, total } = (await (await route.fetch()).json()) as { rows: object[]; total: number };
    const some = rows.slice(0, 5).map((row, n) => (n === 3 ? row : { ...row, status: 'replied' }));
    await route.fulfill({ json: { rows: some, total } });
  });
  await intercept(page, COMPANY, async (route) => {
    const company = (await (await route.fetch()).json()) as CompanyDetail;
    const isOpen = shown.some(({ kind, handled_at }) => kind !== 'auto_reply' && handled_at === null);
    const isInDoubt = shown.some(({ is_doubtful, handled_at }) => is_doubtful === 1 && handled_at === null);
    const maybe_refused = isInDoubt ? { id: company.id, company_name: company.company_name } : null;
    const groups = company.groups.map((group) => (isOpen ? { ...group, status: 'replied' } : group));
    await route.fulfill({
      json: { ...company, groups, maybe_refused, replied: isOpen ? 1 : 0, replies: shown.length },
    });
  });
  await intercept(page, REPLIES, (route) => route.fulfill({ json: { rows: shown, total: shown.length + 2 } }));
  await page.goto(url);
  // A folded card shows it in its second line.
  await page.getByTitle('理由を表示').or(page.locator('[data-card=line]').getByText('返信あり')).first().waitFor();
  yield* whenLoaded(page, 'prospects-replied');
  await page.getByRole('rowheader').nth(1).getByRole('link').click();
  await page.getByText('ほか2通').waitFor();
  await untilReplies(page);
  yield* whenLoaded(page, 'company-replies');
  const serve = (...answers: readonly Answer[]) => {
    shown = answers;
  };
  yield* acting(page, serve);
  serve();
  await page.reload();
  yield* noting(page, serve);
  for (const call of [VIEW, COMPANY, REPLIES, REPLY]) letThrough(page, call);
}

/** Scrolls to the replies: on a phone they are below the company's details. */
const untilReplies = (page: Page) => page.getByRole('heading', { name: '返信', exact: true }).scrollIntoViewIfNeeded();

type Serve = (...answers: readonly Answer[]) => void;

async function* acting(page: Page, serve: Serve): AsyncGenerator<string> {
  await intercept(page, REPLY, (route) => route.fulfill({ json: { status: 'updated' } }));
  serve(ANSWER);
  await page.reload();
  const button = (name: RegExp) => page.getByRole('button', { name }).first();
  await button(/^対応済みにする/).waitFor();
  await untilReplies(page);
  serve(HANDLED);
  await button(/^対応済みにする/).click();
  yield* when(page, '対応済みにしました', 'reply-handled');
  serve(ANSWER);
  await button(/^未対応に戻す/).click();
  await button(/^今後送らない/).click();
  yield* when(page, /に、今後送らないようにしますか？$/, 'reply-refuse');
  await page.keyboard.press('Escape');
  serve(DOUBTFUL);
  await button(/^対応済みにする/).click();
  await button(/^送信を続ける/).waitFor();
  await closeToasts(page);
  await untilReplies(page);
  yield* when(page, /^配信停止を求めている可能性があります/, 'reply-doubtful');
  serve(UNCHECKED);
  await button(/^送信を続ける/).click();
  await page.getByText(/^ほかに37通届きました/).waitFor();
  await closeToasts(page);
  await button(/^今後送らない/).click();
  yield* when(page, /^「株式会社あおぞら商会」のアドレスです/, 'reply-refuse-unchecked');
  serve(HANDLED);
  await page.getByRole('dialog', { name: '今後の送信の停止' }).getByRole('button', { name: '今後送らない' }).click();
  yield* when(page, '配信停止に登録しました', 'reply-refused');
  letThrough(page, REPLY);
}

async function* noting(page: Page, serve: Serve): AsyncGenerator<string> {
  await press(page, 'その他の操作');
  await press(page, '返信を記録');
  await page.getByRole('dialog', { name: '返信の記録' }).waitFor();
  yield* whenLoaded(page, 'reply-note');
  await intercept(page, REPLY, (route) =>
    route.fulfill({
      status: 400,
      json: {
        message: TOO_LONG,
        code: 'invalid_request',
        details: [{ path: 'add_info.note', message: TOO_LONG }],
      },
    }),
  );
  const dialog = page.getByRole('dialog', { name: '返信の記録' });
  await field(page, 'メモ').fill('展示会で名刺を交換した部長から電話で返事がありました');
  await dialog.getByRole('button', { name: '返信を記録' }).click();
  yield* when(page, TOO_LONG, 'reply-note-fault');
  letThrough(page, REPLY);
  await intercept(page, REPLY, (route) => route.fulfill({ json: { status: 'added', id: 1 } }));
  serve(NOTED);
  await dialog.getByRole('button', { name: '返信を記録' }).click();
  yield* when(page, '返信を記録しました', 'reply-noted');
  await closeToasts(page);
}
