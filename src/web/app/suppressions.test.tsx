import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SuppressionRow } from '#contract/answers/suppressions.ts';
import { deferred, type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { company, logInAs, run } from '#test/web/samples.ts';
import { listTime, sentenceTime } from '#web/lib/screen-time.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/company.tsx';
import '#web/app/routes/send.tsx';
import '#web/app/routes/suppressions.tsx';
import '#web/features/suppressions/add-dialog.tsx';
import '#web/features/suppressions/import-dialog.tsx';

const suppression = (id: number, values: Partial<SuppressionRow> = {}): SuppressionRow => ({
  id,
  kind: 'address',
  value: `info@c${id}.example.jp`,
  class: 'blocked',
  source: 'manual',
  reason: '',
  opt_out_reason: null,
  note: '',
  created_at: '2026/11/23 04:09:00',
  created_by: '田中 直樹',
  delivery_id: null,
  send_log_id: null,
  companies: [],
  companies_total: 0,
  ...values,
});

const ROWS = [
  suppression(1, {
    class: 'undeliverable',
    source: 'smtp',
    reason: '550 5.1.1',
    created_by: null,
    delivery_id: 8,
    send_log_id: 55,
    companies: [
      { id: 5, company_name: '瑞穂野フーズ' },
      { id: 6, company_name: '瑞穂野食品' },
    ],
    companies_total: 4,
  }),
  suppression(2, { kind: 'domain', value: 'example.co.jp', note: '競合' }),
  suppression(3, { class: 'refused', source: 'link', opt_out_reason: 'too_many', created_by: null }),
];
const COUNTED = { status: 'no-added', added: 2, already: 3, companies: 5, reserved: 2, queued: 0 };

type Handlers = Parameters<typeof fakeApi>[0];
const serve = (more: Handlers = {}): FakeRequest[] =>
  fakeApi({
    'GET /suppression/view': ({ query }) => {
      const rows = query.get('search') === '此処には無い' ? [] : ROWS;
      return ok({ rows, total: rows.length, addresses: 128, domains: 6 });
    },
    ...more,
  });

const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const dialog = () => within(screen.getByRole('dialog'));
const inDialog = (name: string) => userEvent.click(dialog().getByRole('button', { name }));
const sent = (requests: FakeRequest[]) => requests.filter(({ method }) => method !== 'GET');
const lastView = (requests: FakeRequest[]) => requests.findLast(({ path }) => path === '/suppression/view')?.query;

beforeEach(() => logInAs());

describe('the list', () => {
  it('shows each address or domain with its companies, reason and source', async () => {
    serve();
    await renderApp('/suppressions');
    await screen.findByRole('rowheader', { name: '@example.co.jp' });
    expect(screen.getByText(/（登録：アドレス 128・ドメイン 6）$/)).toBeDefined();
    const rows = screen.getAllByRole('row').slice(1);
    const at = listTime('2026/11/23 04:09:00');
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      `info@c1.example.jp瑞穂野フーズ、瑞穂野食品、ほか2社宛先不明送信先のサーバー${at}自動宛先が存在しませんサーバーの応答解除`,
      `@example.co.jp–自社で禁止手動${at}田中 直樹競合解除`,
      `info@c3.example.jp–本人の希望配信停止のページ${at}自動回数が多い理由を記録して解除`,
    ]);
    // The server's own words stand behind a mark.
    const [first] = rows.map((one) => within(one));
    await userEvent.click(first?.getByRole('button', { name: 'サーバーの応答' }) as HTMLElement);
    expect(within(screen.getByRole('dialog', { name: 'サーバーの応答' })).getByText('550 5.1.1')).toBeDefined();
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByText('550 5.1.1')).toBeNull();
    expect(within(rows[2] as HTMLElement).queryByRole('button', { name: 'サーバーの応答' })).toBeNull();
    const links = within(rows[0] as HTMLElement).getAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/prospects/5', '/prospects/6', '/sends/55']);
  });

  it('is filtered by the address, and offers to clear a filter without a match', async () => {
    const requests = serve();
    const { router } = await renderApp(
      '/suppressions?search=%E6%AD%A4%E5%87%A6%E3%81%AB%E3%81%AF%E7%84%A1%E3%81%84&page=1',
    );
    await screen.findByText('条件に合う配信停止がありません');
    await press('条件をクリア');
    await screen.findByRole('rowheader', { name: '@example.co.jp' });
    await userEvent.selectOptions(screen.getByLabelText('理由'), '本人の希望');
    await userEvent.selectOptions(screen.getByLabelText('登録元'), 'CSV');
    await waitFor(() =>
      expect([...(lastView(requests) ?? [])]).toEqual([
        ['class', 'refused'],
        ['source', 'csv'],
        ['pagenate_num', '1'],
        ['pagenate_count', '50'],
      ]),
    );
    expect(router.state.location.search).toBe('?class=refused&source=csv');
  });

  it.each(['class=lost', 'source=%3Cscript%3E', 'page=0'])('ignores ?%s', async (search) => {
    const requests = serve();
    await renderApp(`/suppressions?${search}`);
    await screen.findByRole('rowheader', { name: '@example.co.jp' });
    expect([...(lastView(requests) ?? [])].map(([name]) => name)).toEqual(['pagenate_num', 'pagenate_count']);
  });

  it('says when it is empty', async () => {
    serve({ 'GET /suppression/view': () => ok({ rows: [], total: 0, addresses: 0, domains: 0 }) });
    await renderApp('/suppressions');
    expect(await screen.findByText('配信停止のアドレスはありません')).toBeDefined();
  });
});

describe('adding by hand', () => {
  const open = async (more: Handlers) => {
    const requests = serve(more);
    await renderApp('/suppressions');
    await screen.findByRole('rowheader', { name: '@example.co.jp' });
    await press('追加');
    return requests;
  };
  const type = async (text: string) => {
    await userEvent.click(await screen.findByLabelText('アドレスかドメイン（必須）'));
    await userEvent.paste(text);
  };

  it('counts first, shows which reservations lose targets, and then stores once', async () => {
    const requests = await open({
      'POST /suppression': ({ body }) =>
        ok((body as { dry_run?: 1 }).dry_run === 1 ? COUNTED : { ...COUNTED, status: 'added' }),
    });
    await type('a@example.jp\n\n @example.co.jp \n');
    await userEvent.selectOptions(dialog().getByLabelText('理由'), '本人の希望');
    await userEvent.type(dialog().getByLabelText('メモ'), '電話で受付');
    await inDialog('内容を確認');
    const facts = await dialog().findByRole('status', { name: '登録の内容' });
    expect(facts.textContent).toBe('登録する 2件登録済み 3件対象の会社 5社予約から外れる 2社');
    await inDialog('2件を登録');
    expect(await toastText('status')).toBe('2件を配信停止に登録しました');
    const add_info = { values: ['a@example.jp', '@example.co.jp'], class: 'refused', note: '電話で受付' };
    const posts = sent(requests);
    expect(posts.map(({ body }) => body)).toEqual([{ add_info, dry_run: 1 }, { add_info }]);
    expect(posts.map(({ headers }) => headers.has('Idempotency-Key'))).toEqual([false, true]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('counts again after a change, and stores nothing twice', async () => {
    const requests = await open({ 'POST /suppression': () => ok({ ...COUNTED, added: 0 }) });
    await type('a@example.jp');
    await inDialog('内容を確認');
    expect(await dialog().findByText('登録するものがありません')).toBeDefined();
    expect(dialog().getByRole<HTMLButtonElement>('button', { name: '内容を確認' }).disabled).toBe(true);
    await type('\nb@example.jp');
    expect(dialog().queryByText('登録するものがありません')).toBeNull();
    await inDialog('内容を確認');
    expect(sent(requests)).toHaveLength(2);
  });

  it('does not show the count of values that have changed since', async () => {
    const { answer, resolve } = deferred();
    const requests = await open({ 'POST /suppression': () => answer });
    await type('a@example.jp');
    await inDialog('内容を確認');
    await type('\nb@example.jp');
    resolve(ok(COUNTED));
    await waitFor(() =>
      expect(dialog().getByRole('button', { name: '内容を確認' }).getAttribute('aria-disabled')).toBeNull(),
    );
    expect(dialog().queryByRole('status', { name: '登録の内容' })).toBeNull();
    await inDialog('内容を確認');
    expect(sent(requests).map(({ body }) => (body as { dry_run?: 1 }).dry_run)).toEqual([1, 1]);
  });

  it('keeps text typed while earlier values are stored', async () => {
    const { answer, resolve } = deferred();
    await open({ 'POST /suppression': ({ body }) => ('dry_run' in (body as object) ? ok(COUNTED) : answer) });
    await type('a@example.jp');
    await inDialog('内容を確認');
    await userEvent.click(await dialog().findByRole('button', { name: '2件を登録' }));
    await type('\nb@example.jp');
    resolve(ok({ ...COUNTED, status: 'added' }));
    expect(await toastText('status')).toBe('2件を配信停止に登録しました');
    expect(dialog().getByLabelText<HTMLTextAreaElement>('アドレスかドメイン（必須）').value).toBe(
      'a@example.jp\nb@example.jp',
    );
  });

  it('shows the line of an invalid value, and keeps the typed text as a draft', async () => {
    const details = [{ path: 'add_info.values.1', message: 'メールアドレスに@がありません。' }];
    await open({
      'POST /suppression': () => ({
        status: 400,
        body: { message: '誤りがあります。', code: 'invalid_request', details },
      }),
    });
    await type('a@example.jp\n\nexample.jp');
    await inDialog('内容を確認');
    expect(await dialog().findByText('3行目：メールアドレスに@がありません')).toBeDefined();
    const values = dialog().getByLabelText<HTMLTextAreaElement>('アドレスかドメイン（必須）');
    await waitFor(() => expect(document.activeElement).toBe(values));
    await inDialog('キャンセル');
    await press('追加');
    expect((await screen.findByLabelText<HTMLTextAreaElement>('アドレスかドメイン（必須）')).value).toBe(
      'a@example.jp\n\nexample.jp',
    );
  });

  it('requires a value', async () => {
    const requests = await open({});
    await userEvent.click(await screen.findByRole('button', { name: '内容を確認' }));
    expect(dialog().getByText('アドレスかドメインを入力してください')).toBeDefined();
    expect(sent(requests)).toEqual([]);
  });
});

describe('adding from a file', () => {
  const open = async (more: Handlers) => {
    const requests = serve(more);
    await renderApp('/suppressions');
    await screen.findByRole('rowheader', { name: '@example.co.jp' });
    await press('CSVを取り込む');
    return requests;
  };
  const choose = async (file: File) => userEvent.upload(await screen.findByLabelText('ファイル（必須）'), file);
  const LIST = new File(['a@example.jp\nx'], '停止.csv');

  it('counts its rows and names those that it skips, and then stores them', async () => {
    const faults = [{ row: 2, value: 'x', message: 'メールアドレスに@がありません。' }];
    const requests = await open({ 'POST /suppression/import': () => ok({ ...COUNTED, faults_total: 1, faults }) });
    await choose(LIST);
    await inDialog('内容を確認');
    await userEvent.click(await dialog().findByText('読めない行 1行（飛ばします）'));
    expect(dialog().getByText('2行目「x」：メールアドレスに@がありません')).toBeDefined();
    await inDialog('2件を登録');
    expect(await toastText('status')).toBe('2件を配信停止に登録しました');
    const queries = sent(requests).map(({ query }) => [...query].join());
    expect(queries).toEqual(['class,blocked,dry_run,1', 'class,blocked']);
    expect(sent(requests).map(({ body }) => (body as ArrayBuffer).byteLength)).toEqual([14, 14]);
  });

  it.each<[string, FakeAnswer, File, string]>([
    [
      'that the server cannot read',
      refused(400, 'ファイルを読めません。', 'unreadable_file'),
      LIST,
      'ファイルを読めません',
    ],
    [
      'that is too large',
      'network',
      new File([new Uint8Array(4 * 1024 * 1024 + 1)], '大.csv'),
      'ファイルが大きすぎます。4MBまでのファイルに分けてください',
    ],
  ])('shows a file %s at its field', async (_what, answer, file, text) => {
    await open({ 'POST /suppression/import': () => answer });
    await choose(file);
    await inDialog('内容を確認');
    expect(await dialog().findByText(text)).toBeDefined();
  });

  it('requires a file', async () => {
    await open({});
    await userEvent.click(await screen.findByRole('button', { name: '内容を確認' }));
    expect(dialog().getByText('ファイルを選んでください')).toBeDefined();
  });
});

describe('lifting', () => {
  const open = async (name: string) => {
    const requests = serve({ [`PUT /suppression/${name.includes('c3') ? 3 : 1}`]: () => ok({ status: 'updated' }) });
    await renderApp('/suppressions');
    await screen.findByRole('rowheader', { name: '@example.co.jp' });
    await press(name);
    return requests;
  };

  it('of an address that was corrected needs one press', async () => {
    const requests = await open('info@c1.example.jpを解除');
    expect(dialog().getByText('もう一度info@c1.example.jpに送れるようにしますか？')).toBeDefined();
    expect(screen.getByRole('dialog').textContent).not.toContain('配信停止');
    await inDialog('もう一度このアドレスに送れるようにする');
    expect(await toastText('status')).toBe('もう一度info@c1.example.jpに送れるようにしました');
    expect(sent(requests).map(({ body }) => body)).toEqual([{ update_info: { lifted: 1 } }]);
  });

  it('of an opt-out needs a reason from the list', async () => {
    const requests = await open('info@c3.example.jpを、理由を記録して解除');
    await inDialog('理由を記録して解除');
    expect(dialog().getByText('解除の理由を選んでください')).toBeDefined();
    expect(sent(requests)).toEqual([]);
    expect(dialog().getByText('info@c3.example.jpの配信停止を解除しますか？')).toBeDefined();
    await userEvent.selectOptions(dialog().getByLabelText('解除の理由（必須）'), '本人から再開の依頼');
    const day = dialog().getByLabelText<HTMLInputElement>('本人が同意した日');
    await userEvent.type(day, '2026-11-20');
    await userEvent.type(dialog().getByLabelText('メモ'), '電話で依頼');
    await inDialog('理由を記録して解除');
    expect(await toastText('status')).toContain('解除しました');
    expect(sent(requests).map(({ body }) => body)).toEqual([
      { update_info: { lifted: 1, reason: 'asked_again', consented_on: '2026-11-20', note: '電話で依頼' } },
    ]);
  });
});

describe('the suppression of an address is shown and linked', () => {
  const NOTICE = {
    id: 3,
    kind: 'address',
    class: 'undeliverable',
    source: 'smtp',
    reason: '550 5.1.1',
    created_at: '2026/11/23 04:09:00',
  } as const;
  const noteOf = async () => (await screen.findByText(/送信を止めています/)).closest('[data-tone]') as HTMLElement;
  const link = (note: HTMLElement) => within(note).getByRole('link').getAttribute('href');

  it('on the page of a company', async () => {
    serve({
      'GET /prospect/5': () => ok(company(5, { suppressed: NOTICE })),
      'GET /prospect/5/timeline': () => ok([]),
      'GET /sender_group/list': () => ok([]),
    });
    await renderApp('/prospects/5');
    const note = await noteOf();
    expect(note.textContent).toContain(
      `このアドレスにはメールが届かないため、送信を止めています（${sentenceTime('2026/11/23 04:09')}から）`,
    );
    expect(link(note)).toBe('/suppressions?search=info%40c5.example.jp');
    expect(screen.queryByRole('button', { name: '配信停止に登録' })).toBeNull();
  });

  it('and on that of a mail', async () => {
    const mail = {
      id: 2,
      prospect_id: 2,
      company_name: '第2商事',
      mail_to: 'info@c2.example.jp',
      person: null,
      state: 'failed',
      reason: null,
      attempts: 1,
      claim_no: 3,
      finished_at: '2026/11/21 10:00:05',
      delivered_at: null,
      next_try_at: null,
      cause: 'unknown_address',
      smtp_reply: '550 5.1.1',
    };
    const OF_RUN = { send_log_id: 55, sender_group_id: 4, test_send_mode: 0 };
    const sentMail = {
      subject: 'ご提案',
      from: { name: '田中 直樹', address: 'tanaka@example.com' },
      to: 'info@c2.example.jp',
      text: '本文',
      html: '',
    };
    serve({
      'GET /send_log/55': () => ok(run(55, { finished: true })),
      'GET /send_log/55/deliveries': () => ok({ rows: [mail], total: 1 }),
      'GET /delivery/2': () => ok({ ...mail, mail: sentMail, suppressed: NOTICE, ...OF_RUN }),
      // Its address is proposed where the mail's is dead.
      'GET /prospect/2': () => ok(company(2, { suppressed: NOTICE })),
    });
    await renderApp('/sends/55');
    await userEvent.click(await screen.findByRole('button', { name: '第2商事へのメールを表示' }));
    expect(link(await noteOf())).toBe('/suppressions?search=info%40c2.example.jp');
  });

  it('a company is suppressed from its page', async () => {
    let isStored = false;
    const requests = serve({
      'GET /prospect/5': () => ok(company(5, isStored ? { suppressed: NOTICE } : {})),
      'GET /prospect/5/timeline': () => ok([]),
      'GET /sender_group/list': () => ok([]),
      'POST /suppression': ({ body }) => {
        isStored = (body as { dry_run?: 1 }).dry_run === undefined;
        return ok({ ...COUNTED, added: 1 });
      },
    });
    await renderApp('/prospects/5');
    await userEvent.click(await screen.findByRole('button', { name: 'その他の操作' }));
    await userEvent.click(screen.getByRole('button', { name: '配信停止に登録' }));
    expect((await screen.findByLabelText<HTMLTextAreaElement>('アドレスかドメイン（必須）')).value).toBe(
      'info@c5.example.jp',
    );
    await inDialog('内容を確認');
    await userEvent.click(await dialog().findByRole('button', { name: '1件を登録' }));
    await noteOf();
    expect(sent(requests).at(-1)?.body).toEqual({ add_info: { values: ['info@c5.example.jp'], class: 'blocked' } });
  });
});
