import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Run } from '#contract/sending/runs.ts';
import type { DeliveryRow } from '#contract/sending/send-logs.ts';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { listed, logInAs, run, USER } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';

const RUN = run(55, { targets: 3, queued: 0, sending: 0, sent: 1, failed: 1, unknown: 1, finished: true });
const GOING: Run = { ...RUN, queued: 2, sent: 1, failed: 0, unknown: 0, finished: false };
const CANCEL_REST = '残り2社を中止';

const mail = (id: number, values: Partial<DeliveryRow>): DeliveryRow => ({
  id,
  prospect_id: id,
  company_name: `第${id}商事`,
  mail_to: `info@c${id}.example.jp`,
  person: null,
  state: 'sent',
  reason: null,
  attempts: 1,
  claim_no: 3,
  finished_at: '2026/11/21 10:00:05',
  delivered_at: null,
  next_try_at: null,
  cause: null,
  smtp_reply: '250 OK',
  archived: false,
  ...values,
});
const MAILS = [
  mail(1, { delivered_at: '2026/11/21 10:00:09' }),
  mail(2, {
    state: 'failed',
    attempts: 2,
    cause: 'unknown_address',
    smtp_reply: '550 5.1.1 <script>alert(1)</script>',
  }),
  mail(3, { state: 'unknown', cause: 'connection_lost', smtp_reply: '送信中に処理が途絶えました' }),
];

const ORIGIN = {
  member_name: '山田 太郎',
  sender_group_id: 4,
  sender_id: 2,
  from: { name: '田中 直樹', address: 'tanaka@example.com' },
  days_from_lastday: 30,
  list_conditions: { address: '東京', sort: 'company_name', order: 'desc' },
  companies_chosen: false,
  left_out: [
    { reason: 'suppressed', count: 2 },
    { reason: 'reserved', count: 1 },
  ],
};

const OF_RUN = { send_log_id: 55, sender_group_id: 4, test_send_mode: 0 };

type Handlers = Parameters<typeof fakeApi>[0];

function answers(run: () => Run, more: Handlers = {}): FakeRequest[] {
  return fakeApi({
    'GET /account/7': () => ok({ ...USER, email_before_confirmation: null }),
    'GET /send_log/55': () => ok(run()),
    'GET /send_log/55/deliveries': ({ query }) => {
      const rows = MAILS.filter(({ state }) => [null, state].includes(query.get('state') as never));
      return ok({ rows, total: rows.length });
    },
    ...more,
  });
}

const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const openMenu = async () => userEvent.click(await screen.findByRole('button', { name: 'その他の操作' }));
const inDialog = () => within(screen.getByRole('dialog'));
const confirm = (name: string) => userEvent.click(inDialog().getByRole('button', { name }));
const steered = (requests: FakeRequest[]) => requests.filter(({ method }) => method !== 'GET');

beforeEach(() => logInAs());

describe('the send history', () => {
  const list = (...rows: Run[]): Handlers => ({
    'GET /send_log/view': () => ok({ rows: rows.map(listed), total: rows.length }),
  });

  it('is linked in the header, and shows state, counts and end of each run', async () => {
    const going56 = { ...GOING, id: 56, estimated_end_at: '2026/11/21 10:05:10', test_send_mode: 1 as const };
    // The strip requests the run too, and the first screen requests the account.
    answers(() => RUN, { ...list(going56, RUN), 'GET /send_log/56': () => ok(going56) });
    const { router } = await renderApp('/account');
    await userEvent.click(screen.getByRole('link', { name: '送信履歴' }));
    await screen.findAllByRole('rowheader');
    expect(router.state.location.pathname).toBe('/sends');
    const [, going, ended] = screen.getAllByRole('row');
    expect(
      within(going as HTMLElement)
        .getByRole('link', { name: 'ご提案' })
        .getAttribute('href'),
    ).toBe('/sends/56');
    expect(going?.textContent).toContain(`${sentenceTime('2026/11/21 10:00')}テスト ご提案営業部田中 直樹3`);
    expect(within(going as HTMLElement).getByRole('img', { name: '送信済み 1、残り 2' })).toBeDefined();
    expect(ended?.textContent).toMatch(/送信済み 33\.3%1100終了$/);
    expect(within(ended as HTMLElement).getByRole('img', { name: '送信済み 1、失敗 1、不明 1' })).toBeDefined();
    expect(document.title).toBe('送信履歴 | Kaitaku');
  });

  it("has the years by the server's clock, though that of the browser is a day ahead", async () => {
    vi.setSystemTime(new Date('2027-01-01T12:00:00+09:00'));
    onTestFinished(() => void vi.useRealTimers());
    const sentAt = ['2026/12/31 09:05:00', '2025/12/31 09:05:00'];
    answers(() => RUN, list(...sentAt.map((sent_at, at) => ({ ...RUN, id: 55 - at, sent_at }))));
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
      const answer = await fetch(...request);
      answer.headers.set('Date', new Date('2026-12-31T12:00:00+09:00').toUTCString());
      return answer;
    });
    await renderApp('/sends');
    await screen.findAllByRole('rowheader');
    const [, ...rows] = screen.getAllByRole('row').map(({ textContent }) => textContent);
    expect(rows).toEqual([
      expect.stringMatching(/^12\/31（木）09:05/),
      expect.stringMatching(/^2025\/12\/31（水）09:05/),
    ]);
  });

  it('dims a run that was taken back before its first mail, and says so', async () => {
    const undone = { ...RUN, sent: 0, failed: 0, unknown: 0, cancelled: 3, starts_at: '2026/11/21 10:00:10' };
    answers(() => ({ ...undone, undone: 1 }), list({ ...undone, undone: 1 }, { ...undone, id: 54 }));
    await renderApp('/sends');
    await screen.findAllByRole('rowheader');
    const [, taken, stopped] = screen.getAllByRole('row');
    expect(taken?.textContent).toMatch(/取り消し$/);
    expect(stopped?.textContent).toMatch(/終了$/);
    expect([taken, stopped].map((row) => row?.querySelector('[class*=undone]') !== null)).toEqual([true, false]);
    await userEvent.click(within(taken as HTMLElement).getByRole('link', { name: 'ご提案' }));
    expect(await screen.findByText('送信前に取り消しました。1通も送っていません。')).toBeDefined();
  });

  it('shows an empty message when nothing was sent', async () => {
    fakeApi(list());
    await renderApp('/sends');
    expect(await screen.findByText('送信の履歴はまだありません')).toBeDefined();
  });

  it('can be reloaded after a failed request', async () => {
    let answer: FakeAnswer = refused(403, '読めません');
    fakeApi({ 'GET /send_log/view': () => answer });
    await renderApp('/sends');
    await screen.findByText(/を読み込めませんでした$/);
    answer = ok({ rows: [listed(RUN)], total: 1 });
    await press('再読み込み');
    expect(await screen.findByRole('link', { name: 'ご提案' })).toBeDefined();
  });

  it('shows real runs, stores its filter in the address, and exports with it', async () => {
    const requests = answers(() => RUN, {
      ...list(RUN),
      'GET /sender_group/list': () => ok([{ id: 4, group_name: '営業部' }]),
      'POST /export': () => ok({ status: 'added', id: 1 }),
      'GET /export/list': () => ok([]),
    });
    const asked = () =>
      Object.fromEntries(
        requests.findLast(({ path, query }) => path === '/send_log/view' && query.get('pagenate_count') === '50')
          ?.query ?? [],
      );
    const { router } = await renderApp('/sends?period=custom&from=2026-11-01&to=2026-13-01&state=lost');
    await screen.findAllByRole('rowheader');
    expect(asked()).toEqual({ from: '2026-11-01', test_send_mode: '0', pagenate_num: '1', pagenate_count: '50' });
    await userEvent.selectOptions(screen.getByLabelText('種別'), 'すべて');
    await userEvent.selectOptions(screen.getByLabelText('ステータス'), '終了');
    await userEvent.selectOptions(await screen.findByLabelText('送信者グループ'), '営業部');
    await userEvent.type(screen.getByLabelText('件名で探す'), 'ご提案');
    await waitFor(() => expect(asked()).toMatchObject({ search: 'ご提案' }));
    expect(asked()).toMatchObject({ state: 'finished', sender_group_id: '4', from: '2026-11-01' });
    expect(asked()).not.toHaveProperty('test_send_mode');
    expect(router.state.location.search).toContain('mode=all');
  });

  it('without a match says how to find tests', async () => {
    fakeApi(list());
    const { router } = await renderApp('/sends?state=paused');
    await screen.findByText('条件に合う送信がありません');
    await press('条件をクリア');
    await waitFor(() => expect(router.state.location.search).toBe('?mode=all'));
  });
});

describe('the filters on a phone', () => {
  it('fold behind one button, which says what is set', async () => {
    vi.stubGlobal('matchMedia', (query: string) => ({
      matches: query.includes('640px'),
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }));
    fakeApi({ 'GET /send_log/view': () => ok({ rows: [listed(RUN)], total: 1 }) });
    await renderApp('/sends?mode=all&state=finished&period=custom&from=2026-11-01');
    const fold = await screen.findByRole('button', {
      name: '絞り込み 期間：11/1（日）〜、ステータス：終了、種別：すべて',
    });
    expect(screen.queryByLabelText('ステータス')).toBeNull();
    await userEvent.click(fold);
    await userEvent.selectOptions(screen.getByLabelText('ステータス'), '');
    expect(
      await screen.findByRole('button', { name: '絞り込み 期間：11/1（日）〜、種別：すべて', expanded: true }),
    ).toBeDefined();
    await userEvent.click(fold);
    expect(screen.queryByLabelText('種別')).toBeNull();
  });
});

describe('the place in the history', () => {
  const place = (router: Awaited<ReturnType<typeof renderApp>>['router']) => router.state.location.search;
  const pages = (requests: FakeRequest[]) =>
    requests.filter(({ query }) => query.get('pagenate_count') === '50').map(({ query }) => query.get('pagenate_num'));

  it('is the page of the runs, after a reload too', async () => {
    const requests = fakeApi({ 'GET /send_log/view': () => ok({ rows: [listed(RUN)], total: 120 }) });
    const { router, unmount } = await renderApp('/sends');
    await screen.findByText('1–50 / 120件');
    await press('次のページ');
    await screen.findByText('51–100 / 120件');
    expect(place(router)).toBe('?page=2');
    unmount();
    queryClient.clear();
    await renderApp(`/sends${place(router)}`);
    await screen.findByText('51–100 / 120件');
    expect(pages(requests)).toEqual(['1', '2', '2']);
  });

  it('is the page and the state of the mails, and another state starts at its first page', async () => {
    const requests = answers(() => ({ ...RUN, targets: 120, failed: 110 }), {
      'GET /send_log/55/deliveries': () => ok({ rows: MAILS, total: 110 }),
    });
    const { router } = await renderApp('/sends/55?state=failed&page=3');
    await screen.findByText('101–110 / 110件');
    const asked = requests.find(({ path }) => path === '/send_log/55/deliveries');
    expect([asked?.query.get('state'), asked?.query.get('pagenate_num')]).toEqual(['failed', '3']);
    expect(screen.getByLabelText<HTMLSelectElement>('ステータス').value).toBe('failed');
    await userEvent.selectOptions(screen.getByLabelText('ステータス'), 'すべて（120通）');
    await waitFor(() => expect(place(router)).toBe(''));
  });

  it.each([
    ['/sends', '/send_log/view'],
    ['/sends/55', '/deliveries'],
  ])('another page size at %s is requested once, from its first page', async (path, call) => {
    const rows = [listed(RUN)];
    const requests = answers(() => RUN, {
      'GET /send_log/view': () => ok({ rows, total: 500 }),
      'GET /send_log/55/deliveries': () => ok({ rows: MAILS, total: 500 }),
    });
    const { router } = await renderApp(`${path}?page=3`);
    await screen.findAllByRole('rowheader');
    const seen = requests.length;
    await userEvent.selectOptions(screen.getByLabelText('表示件数'), '100');
    await waitFor(() => expect(place(router)).toBe(''));
    const asked = requests.slice(seen).filter((request) => request.path.endsWith(call));
    expect(asked.map(({ query }) => `${query.get('pagenate_num')} ${query.get('pagenate_count')}`)).toEqual(['1 100']);
  });

  it.each(['page=0', 'page=abc', 'page=9999999', 'page=-1', 'state=lost'])('is the default at ?%s', async (search) => {
    const requests = answers(() => RUN);
    await renderApp(`/sends/55?${search}`);
    await screen.findByRole('rowheader', { name: '第3商事' });
    const asked = requests.find(({ path }) => path === '/send_log/55/deliveries');
    const query = ['state', 'pagenate_num', 'order'].map((name) => asked?.query.get(name) ?? null);
    expect(query).toEqual([null, '1', 'failed_first']);
  });

  it('is the last page if its own no longer exists', async () => {
    fakeApi({ 'GET /send_log/view': () => ok({ rows: [listed(RUN)], total: 60 }) });
    const { router } = await renderApp('/sends?page=9');
    await screen.findByText('51–60 / 60件');
    expect(place(router)).toBe('?page=2');
  });
});

describe('a run', () => {
  it('shows each mail with state, time and the plain reason, with the reply of the server behind it', async () => {
    const requests = answers(() => RUN);
    await renderApp('/sends/55');
    await screen.findByRole('rowheader', { name: '第3商事' });
    const [, sent, failed, unknown] = screen.getAllByRole('row');
    expect(
      within(screen.getByRole('region', { name: `${sentenceTime('2026/11/21 10:00:00')}の送信` })).getByText(
        `${sentenceTime('2026/11/21 10:00:00')}`,
      ),
    ).toBeDefined();
    expect(sent?.textContent).toContain(`第1商事info@c1.example.jp送信済み${sentenceTime('2026/11/21 10:00')}表示`);
    expect(failed?.textContent).toContain(
      `失敗${sentenceTime('2026/11/21 10:00')}2宛先が存在しません表示アドレスを直す`,
    );
    expect(within(failed as HTMLElement).getByTitle('550 5.1.1 <script>alert(1)</script>')).toBeDefined();
    expect(
      within(failed as HTMLElement)
        .getByRole('link', { name: '第2商事' })
        .getAttribute('href'),
    ).toBe('/prospects/2');
    expect(unknown?.textContent).toContain(`不明${sentenceTime('2026/11/21 10:00')}送信直後に接続が切れました`);
    await userEvent.selectOptions(screen.getByLabelText('ステータス'), '失敗（1通）');
    await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(2));
    expect(requests.at(-1)?.query.get('state')).toBe('failed');
  });

  it('to 主担当 says so, and shows the person of each mail, as it greeted them', async () => {
    const addressee = '購買部 部長 佐藤 一郎 様';
    const toPerson = mail(1, { mail_to: 'sato@c1.example.jp', person: { id: 9, addressee } });
    const from = { name: '田中 直樹', address: 'tanaka@example.com' };
    answers(() => ({ ...RUN, send_to: 'primary_or_company' }), {
      'GET /send_log/55/deliveries': () => ok({ rows: [toPerson, mail(2, {})], total: 2 }),
      'GET /send_log/55/origin': () => ok(ORIGIN),
      'GET /delivery/1': () =>
        ok({
          ...toPerson,
          ...OF_RUN,
          suppressed: null,
          mail: { subject: '件', from, to: toPerson.mail_to, text: '', html: '' },
        }),
    });
    await renderApp('/sends/55');
    expect(await screen.findByText('主担当（いなければ代表メール）')).toBeTruthy();
    await screen.findByRole('columnheader', { name: '相手の人' });
    const [, first, second] = screen.getAllByRole('row').map(({ textContent }) => textContent);
    expect(first).toContain(`第1商事${addressee}sato@c1.example.jp`);
    expect(second).toContain('第2商事info@c2.example.jp');
    await press('第1商事へのメールを表示');
    expect(await screen.findByText(`${addressee}（sato@c1.example.jp）`)).toBeTruthy();
  });

  it('to companies has no column of people', async () => {
    answers(() => RUN);
    await renderApp('/sends/55');
    await screen.findByText('第1商事');
    expect(screen.queryByRole('columnheader', { name: '相手の人' })).toBeNull();
  });

  it('shows its subject, who sent it, to which list, and whom it left out', async () => {
    answers(() => ({ ...RUN, replied: 2, replied_by_hand: 1 }), { 'GET /send_log/55/origin': () => ok(ORIGIN) });
    await renderApp('/sends/55');
    expect(await screen.findByRole('heading', { name: 'ご提案', level: 1 })).toBeDefined();
    expect(document.title).toBe('ご提案 | Kaitaku');
    const facts = screen.getByRole('region', { name: /の送信$/ });
    await within(facts).findByText('田中 直樹（tanaka@example.com）');
    expect(facts.textContent).toContain('返信2 手動 1配信停止0');
    expect(facts.textContent).toContain('実行者山田 太郎');
    expect(facts.textContent).toContain('条件地域: 東京再送信間隔30日');
    expect(facts.textContent).toContain('対象外3社（配信停止 2社、予約中 1社）');
    const failed = within(facts).getAllByRole('link', { name: '1' })[1];
    expect(failed?.getAttribute('href')).toBe('/sends/55?state=failed');
  });

  it('names own fields and tags of its list, also where no other screen has loaded them', async () => {
    const list_conditions = { custom: { rank: '7' }, tags: '3' };
    answers(() => RUN, {
      'GET /send_log/55/origin': () => ok({ ...ORIGIN, list_conditions }),
      'GET /custom_field/list': () =>
        ok([
          {
            id: 1,
            key: 'rank',
            label: 'ランク',
            type: 'choice',
            archived: 0,
            options: [{ id: 7, label: 'A', archived: 0 }],
          },
        ]),
      'GET /tag/list': () => ok([{ id: 3, label: '重点', colour: 1, archived: 0 }]),
    });
    await renderApp('/sends/55');
    expect(await screen.findByText('タグ: 重点、ランク: A')).toBeDefined();
  });

  it('is shown although its origin cannot be loaded', async () => {
    answers(() => RUN, {
      'GET /send_log/55/origin': () => refused(404, '対象が見つかりません'),
      'GET /export/list': () => ok([]),
    });
    await renderApp('/sends/55');
    await screen.findByRole('rowheader', { name: '第3商事' });
    expect(screen.queryByText('実行者')).toBeNull();
    await openMenu();
    expect(screen.queryByRole('button', { name: '同じ条件で作る' })).toBeNull();
    await press('書き出す');
    expect(await screen.findByRole('dialog')).toBeDefined();
  });

  it('opens the attack list with its conditions, sender and interval', async () => {
    const requests = answers(() => RUN, {
      'GET /send_log/55/origin': () => ok(ORIGIN),
      'GET /sender_group/list': () =>
        ok([
          { id: 1, group_name: '営業部' },
          { id: 4, group_name: '支社' },
        ]),
      'GET /sender/list': () => ok([]),
      'GET /prospect/view': () => ok({ rows: [], total: 0 }),
      'GET /attack_list/preview': () => ok({ rows: [], matched: 0, eligible: 0, left_out: {} }),
    });
    const { router } = await renderApp('/sends/55');
    await openMenu();
    await userEvent.click(await screen.findByRole('button', { name: '同じ条件で作る' }));
    const asked = await waitFor(() => {
      const found = requests.find(({ path }) => path === '/attack_list/preview');
      expect(found).toBeDefined();
      return Object.fromEntries(found?.query ?? []);
    });
    expect(asked).toEqual({
      sender_group_id: '4',
      address: '東京',
      sort: 'company_name',
      order: 'desc',
      days_from_lastday: '30',
      limit_count: '10',
    });
    expect(router.state.location.pathname).toBe('/');
  });

  it('shows a mail as it was sent, in a frame without rights', async () => {
    answers(() => RUN, {
      'GET /delivery/1': () =>
        ok({
          ...MAILS[0],
          ...OF_RUN,
          mail: {
            subject: '第1商事へのご提案',
            from: { name: '田中 直樹', address: 'tanaka@example.com' },
            to: 'info@c1.example.jp',
            text: '本文です',
            html: '<p>本文</p>',
          },
          suppressed: null,
        }),
    });
    await renderApp('/sends/55');
    await userEvent.click(await screen.findByRole('button', { name: '第1商事へのメールを表示' }));
    expect(await screen.findByText('第1商事へのご提案')).toBeDefined();
    expect(screen.getByRole('dialog', { name: '第1商事へのメール' })).toBeDefined();
    expect(inDialog().getByText('田中 直樹（tanaka@example.com）')).toBeDefined();
    expect(screen.getByTitle<HTMLIFrameElement>('HTMLの本文').getAttribute('sandbox')).toBe('');
  });

  it('that does not exist shows a message and leads to the list', async () => {
    answers(() => RUN, { 'GET /send_log/56': () => refused(404, '対象が見つかりません') });
    await renderApp('/sends/56');
    expect(await screen.findByText('この送信は見つかりません')).toBeDefined();
    const ways = screen.getAllByRole('link', { name: '送信履歴へ戻る' });
    expect(ways.map((way) => way.getAttribute('href'))).toEqual(['/sends', '/sends']);
  });

  it('that is refused for another reason is not shown as missing, and can be reloaded', async () => {
    let answer = refused(429, 'リクエストが多すぎます');
    answers(() => RUN, { 'GET /send_log/55': () => answer });
    await renderApp('/sends/55');
    const again = await screen.findByRole('button', { name: '再読み込み' });
    expect(screen.queryByText('この送信は見つかりません')).toBeNull();
    answer = ok(RUN);
    await userEvent.click(again);
    expect(await screen.findByRole('region', { name: /の送信/ })).toBeDefined();
  });

  it.each(['0', 'abc', '1e3', '%20'])('has no screen for /sends/%s', async (id) => {
    await renderApp(`/sends/${id}`);
    expect(await screen.findByText('ページが見つかりません')).toBeDefined();
  });

  it('is paused and resumed after a confirmation that names the action', async () => {
    let paused = false;
    const requests = answers(() => ({ ...GOING, paused_by: paused ? 'user' : null }), {
      'PUT /send_log/55': () => {
        paused = !paused;
        return ok({ status: 'updated' });
      },
    });
    await renderApp('/sends/55');
    await userEvent.click(await screen.findByRole('button', { name: '一時停止' }));
    expect(inDialog().getByText('送信を一時停止しますか？')).toBeDefined();
    await waitFor(() => expect(document.activeElement?.textContent).toBe('キャンセル'));
    expect(steered(requests)).toEqual([]);
    await confirm('一時停止');
    expect(await screen.findByText('送信を一時停止しました')).toBeDefined();
    expect(await screen.findByText(/^一時停止しています。/)).toBeDefined();
    await press('再開');
    await confirm('再開');
    expect(await screen.findByRole('button', { name: '一時停止' })).toBeDefined();
    expect(steered(requests).map(({ body }) => body)).toEqual([
      { update_info: { state: 'paused' } },
      { update_info: { state: 'sending' } },
    ]);
  });

  it.each([
    ['予定どおり送信する', '予定どおり送信しますか？', 'sending'],
    ['送信しない', '本当に送信しませんか？', 'cancelled'],
  ])('one that waits since a restore is neither paused nor resumed: %s', async (button, question, state) => {
    let decided = false;
    const requests = answers(() => ({ ...GOING, paused_by: decided ? null : 'restored' }), {
      'PUT /send_log/55': () => {
        decided = true;
        return ok({ status: 'updated' });
      },
    });
    await renderApp('/sends/55');
    expect(await screen.findByText(/その後に送信または取り消した可能性があります。$/)).toBeDefined();
    for (const other of ['再開', '一時停止', '中止']) expect(screen.queryByRole('button', { name: other })).toBeNull();
    await press(button);
    expect(inDialog().getByText(question)).toBeDefined();
    expect(steered(requests)).toEqual([]);
    await confirm(button);
    expect(await screen.findByRole('button', { name: '一時停止' })).toBeDefined();
    expect(steered(requests).map(({ body }) => body)).toEqual([{ update_info: { state } }]);
  });

  it('is cancelled, and reports that the reservation it was sent from is restored', async () => {
    const given = { reservation: 'restored', reservation_id: 7, reserved_for: '2026/12/01 11:00:00' };
    answers(() => GOING, { 'PUT /send_log/55': () => ok({ status: 'updated', cancelled: 2, left: 0, ...given }) });
    await renderApp('/sends/55');
    await userEvent.click(await screen.findByRole('button', { name: '中止' }));
    await confirm(CANCEL_REST);
    expect(await screen.findByText('12/1（火）11:00の予約に戻しました')).toBeDefined();
    expect(screen.getByRole('button', { name: '予約を見る' })).toBeDefined();
  });

  it.each([
    [null, '送信を続ける'],
    ['user', '中止しない'],
  ] as const)('paused by %s is not cancelled by the button %s', async (paused_by, stay) => {
    const requests = answers(() => ({ ...GOING, paused_by }));
    await renderApp('/sends/55');
    await userEvent.click(await screen.findByRole('button', { name: '中止' }));
    await confirm(stay);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(steered(requests)).toEqual([]);
  });

  it('is taken back, not cancelled, before its first mail', async () => {
    const waits = { queued: 3, sent: 0, failed: 0, unknown: 0, starts_at: '2026/11/21 10:00:10' };
    answers(() => ({ ...GOING, ...waits, paused_by: 'user' }));
    await renderApp('/sends/55');
    await userEvent.click(await screen.findByRole('button', { name: '取り消し' }));
    expect(inDialog().getByText('送信を取り消しますか？')).toBeDefined();
    expect(screen.queryByText(/中止/)).toBeNull();
  });

  it('is cancelled; an earlier decision by someone else is reported and shown', async () => {
    let ended = false;
    answers(() => (ended ? RUN : GOING), {
      'PUT /send_log/55': () => {
        ended = true;
        return refused(409, 'この送信はすでに終わっています。');
      },
    });
    await renderApp('/sends/55');
    await userEvent.click(await screen.findByRole('button', { name: '中止' }));
    await confirm(CANCEL_REST);
    expect(await screen.findByText('この送信はすでに終わっています')).toBeDefined();
    await waitFor(() => expect(screen.queryByRole('button', { name: '中止' })).toBeNull());
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('keeps the confirmation open after a lost connection', async () => {
    answers(() => GOING, { 'PUT /send_log/55': () => 'network' });
    await renderApp('/sends/55');
    await userEvent.click(await screen.findByRole('button', { name: '中止' }));
    await confirm(CANCEL_REST);
    expect(await screen.findByText(/^サーバーに接続できませんでした/)).toBeDefined();
    expect(screen.getByRole('dialog')).toBeDefined();
  });

  it('retries its failed mails, and reports who is left out and why', async () => {
    const requests = answers(() => RUN, {
      'POST /send_log/55/retry': () =>
        ok({ status: 'accepted', accepted: 1, skipped: [{ prospect_id: 9, reason: 'suppressed' }] }),
    });
    await renderApp('/sends/55');
    await openMenu();
    await press('失敗したメールを再送信');
    expect(inDialog().getByText('失敗したメール1通を、もう一度送信しますか？')).toBeDefined();
    await confirm('失敗したメールを再送信');
    expect((await screen.findByText('1通を再送信します')).parentElement?.textContent).toContain(
      '1通は送信の対象外です（配信停止）',
    );
    expect(steered(requests)).toHaveLength(1);
  });

  it.each([
    ['送信済みとして扱う', '第3商事へのメールを、送信済みとして扱いますか？', 'sent'],
    ['もう一度送信', '第3商事へのメールを、もう一度送信しますか？', 'queued'],
  ])('an unknown mail: %s, for the attempt on screen', async (button, question, state) => {
    const requests = answers(() => RUN, { 'PUT /delivery/3': () => ok({ status: 'updated' }) });
    await renderApp('/sends/55');
    await userEvent.click(await screen.findByRole('button', { name: button }));
    expect(inDialog().getByText(question)).toBeDefined();
    await confirm(button);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(steered(requests).map(({ body }) => body)).toEqual([{ update_info: { state }, claim_no: 3 }]);
  });

  it.each([
    ['sender_refused', '差出人を開く', '/settings/groups'],
    ['policy_bounces', 'ドメインの状態を開く', '/settings/domains'],
  ] as const)('paused by %s leads to the cause, before its figures', async (paused_by, name, to) => {
    answers(() => ({ ...GOING, paused_by }));
    await renderApp('/sends/55');
    const link = await screen.findByRole('link', { name });
    expect(link.getAttribute('href')).toBe(to);
    const figures = screen.getByRole('region', { name: /の送信$/ });
    expect(link.compareDocumentPosition(figures)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  });

  it.each<[Partial<Run>, string]>([
    [{ paused_by: 'sender_refused' }, '差出人のメールアドレスがメールサーバーに拒否されたため'],
    [
      { database_rewound: true, transport_paused_until: '2026/11/21 10:00:30' },
      '^データベースが過去の状態に戻っています',
    ],
    [{ database_rewound: true }, '^送信停止中'],
    [
      { transport_paused_until: '2026/11/21 10:00:30' },
      `${sentenceTime('2026/11/21 10:00:30')}ごろに自動でもう一度試します`,
    ],
    [
      { limited_until: '2026/11/21 11:00:00', transport_paused_until: '2026/11/21 10:15:00' },
      `送信の上限に達したため、送信を待っています。遅くとも${sentenceTime('2026/11/21 11:00')}ごろに`,
    ],
    [{ limited_until: '2026/11/21 11:00:00' }, '^送信上限で待機中'],
    [
      {
        put_off_until: '2026/11/24 08:00:00',
        put_off_reason: '祝日',
        put_off_by: 'hours',
        transport_paused_until: '2026/11/21 10:00:30',
      },
      `^${sentenceTime('2026/11/24 08:00')}まで待っています（祝日）。`,
    ],
    [{ put_off_until: '2026/11/24 08:00:00', put_off_by: 'hours' }, '^送信時間待ち'],
    [{ put_off_until: '2026/11/24 08:00:00', put_off_by: 'limit' }, '^上限待ち'],
  ])('that waits shows the reason (%o)', async (values, notice) => {
    answers(() => ({ ...GOING, ...values }));
    await renderApp('/sends/55');
    expect(await screen.findByText(new RegExp(notice))).toBeDefined();
  });
});
