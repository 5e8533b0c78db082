import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs, run } from '#test/web/samples.ts';

const NOTICE = {
  id: 9,
  kind: 'address',
  class: 'undeliverable',
  source: 'dsn',
  reason: '550 5.1.1',
  created_at: '2026/11/23 04:09:00',
};
const FAILED = {
  id: 2,
  prospect_id: 12,
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
  smtp_reply: '550 5.1.1 unknown',
};
const CONTENT = {
  subject: 'ご提案',
  from: { name: '田中 直樹', address: 'tanaka@example.com' },
  to: 'info@c2.example.jp',
  text: '本文',
  html: '',
};
const MAIL = {
  ...FAILED,
  send_log_id: 55,
  sender_group_id: 4,
  test_send_mode: 0,
  run_paused_by: null,
  mail: CONTENT,
  suppressed: NOTICE,
};
const COMPANY = { id: 12, version: 'v1', company_name: '第2商事', company_email: 'info@c2.example.jp' };

function serve(mail: object, more: Parameters<typeof fakeApi>[0] = {}): FakeRequest[] {
  return fakeApi({
    'GET /send_log/55': () => ok(run(55, { finished: true, failed: 1 })),
    'GET /send_log/55/deliveries': () => ok({ rows: [{ ...FAILED, ...mail }], total: 1 }),
    'GET /delivery/2': () => ok({ ...MAIL, ...mail }),
    'GET /prospect/12': () => ok(COMPANY),
    ...more,
  });
}

const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));
const inDialog = () => within(screen.getByRole('dialog'));
const changes = (requests: FakeRequest[]) =>
  requests.filter(({ method }) => method !== 'GET').map(({ method, path, body }) => [`${method} ${path}`, body]);

async function open(mail: object = {}, more: Parameters<typeof fakeApi>[0] = {}) {
  const requests = serve(mail, more);
  await renderApp('/sends/55');
  await press('第2商事へのメールを表示');
  await screen.findByText('本文');
  return requests;
}

async function enter(address: string): Promise<void> {
  const field = await screen.findByLabelText('新しいメールアドレス');
  await userEvent.clear(field);
  await userEvent.type(field, address);
  await userEvent.click(inDialog().getByRole('button', { name: 'このアドレスに送り直す' }));
}

const SAVED = ok({ status: 'updated', id: 12, version: 'v2' });

beforeEach(() => logInAs());

describe('a failed mail', () => {
  it('shows the cause, the remedy and, after a press, the reply of the server', async () => {
    await open();
    expect(inDialog().getByText('宛先が存在しません')).toBeDefined();
    expect(inDialog().getByText(/^会社のサイトなどで新しいアドレスを/)).toBeDefined();
    const reply = inDialog().getByText('550 5.1.1 unknown');
    expect(reply.closest('details')?.open).toBe(false);
    expect(inDialog().getByText(/^このアドレスにはメールが届かないため、送信を止めています（/)).toBeDefined();
  });

  it('says that it helped to pause its run if the server refused the domain of the sender', async () => {
    const refusedUs = { cause: 'authentication', smtp_reply: '550 5.7.26', suppressed: null };
    await open({ ...refusedUs, run_paused_by: 'policy_bounces' });
    expect(inDialog().getByText(/一時停止しました。$/)).toBeDefined();
  });

  it.each([
    { cause: 'unknown_address', run_paused_by: 'policy_bounces' },
    { cause: 'authentication', run_paused_by: 'user' },
  ])('says nothing of a pause that it has not caused (%o)', async (values) => {
    await open(values);
    expect(inDialog().queryByText(/一時停止しました。$/)).toBeNull();
  });

  it('is sent again to another address of its company', async () => {
    const requests = await open(
      {},
      {
        'PUT /prospect/12': () => SAVED,
        'POST /delivery/2/retry': () => ok({ status: 'accepted', accepted: 1, skipped: [] }),
      },
    );
    await enter(' Contact@c2.example.jp ');
    expect(await screen.findByText('1通を再送信します')).toBeDefined();
    expect(changes(requests)).toEqual([
      ['PUT /prospect/12', { version: 'v1', update_info: { company_email: 'Contact@c2.example.jp' }, acknowledged: 1 }],
      ['POST /delivery/2/retry', undefined],
    ]);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('is not sent again to the failed address or to a blank one', async () => {
    const requests = await open();
    const field = await screen.findByLabelText<HTMLInputElement>('新しいメールアドレス');
    expect(field.value).toBe('');
    expect(inDialog().getByText('会社の代表メールも、新しいアドレスに変わります。')).toBeDefined();
    await enter('INFO@c2.example.jp');
    expect(await screen.findByText(/^届かなかったアドレスと同じです/)).toBeDefined();
    await enter(' ');
    expect(await screen.findByText('メールアドレスを入力してください')).toBeDefined();
    expect(changes(requests)).toEqual([]);
  });

  it('keeps the typed address if the server refuses it or sending again fails, and stores it once', async () => {
    const answers = [
      {
        status: 400,
        body: {
          message: '入力に誤りがあります',
          code: 'invalid_company',
          details: [{ path: 'update_info.company_email', message: 'メールアドレスに@がありません。' }],
        },
      },
      SAVED,
    ];
    let retries = 0;
    const requests = await open(
      {},
      {
        'PUT /prospect/12': () => answers.shift() ?? refused(409, '変更されています'),
        'POST /delivery/2/retry': () => {
          retries += 1;
          return retries === 1 ? 'network' : ok({ status: 'accepted', accepted: 1, skipped: [] });
        },
      },
    );
    await enter('contact');
    expect(await screen.findByText('メールアドレスに@がありません')).toBeDefined();
    await enter('contact@c2.example.jp');
    await screen.findByText(/^サーバーに接続できませんでした/);
    expect(screen.getByLabelText<HTMLInputElement>('新しいメールアドレス').value).toBe('contact@c2.example.jp');
    await userEvent.click(inDialog().getByRole('button', { name: 'このアドレスに送り直す' }));
    expect(await screen.findByText('1通を再送信します')).toBeDefined();
    expect(changes(requests).map(([call]) => call)).toEqual([
      'PUT /prospect/12',
      'PUT /prospect/12',
      'POST /delivery/2/retry',
      'POST /delivery/2/retry',
    ]);
  });

  it('shows why it cannot be sent again', async () => {
    await open(
      {},
      {
        'PUT /prospect/12': () => SAVED,
        'POST /delivery/2/retry': () =>
          ok({ status: 'no-added', accepted: 0, skipped: [{ prospect_id: 12, reason: 'reserved' }] }),
      },
    );
    await enter('contact@c2.example.jp');
    expect(await screen.findByText(/^アドレスを保存しました。.*（予約中）$/)).toBeDefined();
  });

  it('proposes the address that its company has got meanwhile', async () => {
    const requests = await open(
      {},
      {
        'GET /prospect/12': () => ok({ ...COMPANY, company_email: 'new@c2.example.jp' }),
        'POST /delivery/2/retry': () => ok({ status: 'accepted', accepted: 1, skipped: [] }),
      },
    );
    expect((await screen.findByLabelText<HTMLInputElement>('新しいメールアドレス')).value).toBe('new@c2.example.jp');
    await press('このアドレスに送り直す');
    expect(await screen.findByText('1通を再送信します')).toBeDefined();
    expect(changes(requests).map(([call]) => call)).toEqual(['POST /delivery/2/retry']);
  });

  it('has the focus in the field only where its button in the list was pressed', async () => {
    await open();
    expect(document.activeElement).not.toBe(await screen.findByLabelText('新しいメールアドレス'));
    await press('キャンセル');
    await press('第2商事のアドレスを直す');
    const field = await screen.findByLabelText('新しいメールアドレス');
    expect(document.activeElement).toBe(field);
  });

  it('offers a retry where its company cannot be loaded', async () => {
    let answers = 0;
    serve(
      {},
      {
        'GET /prospect/12': () => {
          answers += 1;
          return answers === 1 ? refused(403, '') : ok(COMPANY);
        },
      },
    );
    await renderApp('/sends/55');
    await press('第2商事へのメールを表示');
    await press('再読み込み');
    expect(await screen.findByLabelText('新しいメールアドレス')).toBeDefined();
  });

  it('on a phone keeps the act and キャンセル, and its further acts under ⋯ open their dialogs', async () => {
    const wide = matchMedia;
    vi.stubGlobal('matchMedia', (query: string) => ({ ...wide(query), matches: query.includes('640px') }));
    onTestFinished(() => void vi.stubGlobal('matchMedia', wide));
    await open({}, { 'PUT /suppression/9': () => ok({ status: 'updated' }) });
    const foot = document.querySelector<HTMLElement>('[data-dialog-foot]') as HTMLElement;
    expect(
      within(foot)
        .getAllByRole('button')
        .map(({ textContent }) => textContent),
    ).toEqual(['その他の操作', 'キャンセル', 'このアドレスに送り直す']);
    await userEvent.click(within(foot).getByRole('button', { name: 'その他の操作' }));
    await press('もう一度このアドレスに送れるようにする');
    expect(await screen.findByText('もう一度info@c2.example.jpに送れるようにしますか？')).toBeDefined();
  });

  it('lets its company be deactivated in the group', async () => {
    const requests = await open({}, { 'POST /active_prospect/': () => ok({ status: 'added' }) });
    await press('この会社を無効にする');
    expect(await screen.findByText('第2商事を無効にしますか？')).toBeDefined();
    await userEvent.click(screen.getAllByRole('button', { name: 'この会社を無効にする' }).at(-1) as HTMLElement);
    expect(await screen.findByText('第2商事を無効にしました')).toBeDefined();
    expect(changes(requests)).toEqual([
      [
        'POST /active_prospect/',
        { add_info: { prospect_id: 12, sender_group_id: 4, active: 0 }, duplicate_key_update_info: { active: 0 } },
      ],
    ]);
  });

  it('lets the suppression of its address be lifted', async () => {
    const requests = await open({}, { 'PUT /suppression/9': () => ok({ status: 'updated' }) });
    await press('もう一度このアドレスに送れるようにする');
    expect(await screen.findByText('もう一度info@c2.example.jpに送れるようにしますか？')).toBeDefined();
    const lifts = screen.getAllByRole('button', { name: 'もう一度このアドレスに送れるようにする' });
    await userEvent.click(lifts.at(-1) as HTMLElement);
    await waitFor(() => expect(changes(requests).map(([call]) => call)).toEqual(['PUT /suppression/9']));
  });

  it.each(['authentication', 'spam'])('of the cause %s leads to the state of the domain', async (cause) => {
    await open({ cause, suppressed: null, mail_to: null });
    const link = inDialog().getByRole('link', { name: 'ドメインの状態を開く' });
    expect(link.getAttribute('href')).toBe('/settings/domains');
  });

  it('of an unknown outcome is settled where it is shown', async () => {
    const mail = { state: 'unknown', cause: 'connection_lost', suppressed: null } as const;
    const requests = await open(mail, { 'PUT /delivery/2': () => ok({ status: 'updated' }) });
    for (const name of ['もう一度送信', '送信済みとして扱う', '送信済みとして扱う']) {
      const dialog = within(screen.getAllByRole('dialog').at(-1) as HTMLElement);
      if (name === 'もう一度送信') expect(dialog.getByRole('button', { name })).toBeDefined();
      else await userEvent.click(dialog.getByRole('button', { name }));
    }
    await waitFor(() => expect(changes(requests).map(([call]) => call)).toEqual(['PUT /delivery/2']));
  });

  it.each([
    ['of another cause', { cause: 'too_large' }, 'メールが大きすぎます'],
    ['of a full mailbox', { cause: 'mailbox_full' }, '相手のメールボックスがいっぱいです'],
    ['of a test', { test_send_mode: 1 }, '宛先が存在しません'],
    ['that will be tried again', { state: 'queued', cause: 'busy', next_try_at: '2026/11/21 10:05:00' }, /^再試行は/],
  ])('%s has no such acts', async (_, mail, text) => {
    await open(mail);
    expect(inDialog().getByText(text)).toBeDefined();
    expect(inDialog().queryByRole('button', { name: 'このアドレスに送り直す' })).toBeNull();
    expect(inDialog().queryByRole('button', { name: 'この会社を無効にする' })).toBeNull();
  });
});
