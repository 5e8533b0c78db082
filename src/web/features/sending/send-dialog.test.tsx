import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeAnswer, fakeApi, later, ok, refused } from '#test/web/fake-api.ts';
import { renderPart, told } from '#test/web/render.tsx';
import { logInAs, target } from '#test/web/samples.ts';
import { SendDialog } from './send-dialog.tsx';
import type { SendOrder } from './send-mail.ts';

const onAccepted = vi.fn();
const onReserved = vi.fn();
const ORDER: SendOrder = {
  idempotencyKey: 'key-of-this-dialog',
  senderId: 2,
  subject: 'ご提案',
  targets: [target(1), target(2)],
  days: 7,
  testTo: null,
  sendAt: null,
  candidateDates: null,
};
const accepted: FakeAnswer = ok({ status: 'accepted', send_log_id: 55, accepted: 2, skipped: [] });

function Opener({ order }: { readonly order: SendOrder }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        開く
      </button>
      {open ? (
        <SendDialog order={order} onClose={() => setOpen(false)} onAccepted={onAccepted} onReserved={onReserved} />
      ) : null}
    </>
  );
}

async function open(order: Partial<SendOrder> = {}) {
  renderPart(<Opener order={{ ...ORDER, ...order }} />);
  await userEvent.click(screen.getByRole('button', { name: '開く' }));
  return within(screen.getByRole('dialog'));
}
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));

beforeEach(() => {
  onAccepted.mockClear();
  onReserved.mockClear();
  logInAs();
});

describe('send dialog', () => {
  it('tells that an interval of 0 days mails companies again at once', async () => {
    const dialog = await open({ days: 0 });
    expect(dialog.getByText('再送信間隔').nextSibling?.textContent).toMatch(/^0日.*送信したばかりの会社にも/);
  });

  it('says what will be sent and to how many', async () => {
    const dialog = await open();
    expect(screen.getByRole('dialog', { name: 'メールの送信' })).toBeDefined();
    expect(dialog.getByText('ご提案')).toBeDefined();
    expect(dialog.getByText('2件')).toBeDefined();
    expect(dialog.getByText('本当に送信しますか？')).toBeDefined();
    expect(dialog.queryByText(/テスト送信/)).toBeNull();
  });

  it('says clearly that a test is one', async () => {
    const dialog = await open({ testTo: 'qa+[n]@example.com' });
    expect(screen.getByRole('dialog', { name: 'メールのテスト送信' })).toBeDefined();
    expect(dialog.getByText('qa+[n]@example.com')).toBeDefined();
    expect(dialog.getByText('テスト送信です。見込み客には送信されません。')).toBeDefined();
  });

  it('begins on キャンセル, closes by Escape and gives the focus back', async () => {
    const requests = fakeApi({});
    await open();
    await waitFor(() => expect(document.activeElement?.textContent).toBe('キャンセル'));
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: '開く' })));
    expect(requests).toEqual([]);
  });

  it('sends once for two clicks, cannot be left meanwhile, and hands the run over', async () => {
    const answer = later();
    const requests = fakeApi({ 'POST /mail/send/2': () => answer.answer });
    await open();
    await press('送信');
    await press('送信');
    expect(screen.getByText('メールを送信中')).toBeDefined();
    await press('キャンセル');
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).not.toBeNull();
    await act(async () => answer.come(accepted));

    expect(screen.queryByRole('dialog')).toBeNull();
    expect(onAccepted).toHaveBeenCalledExactlyOnceWith(55);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers.get('Idempotency-Key')).toBe('key-of-this-dialog');
    expect(requests[0]?.body).toEqual({
      test_send_mode: 0,
      attack_list: [
        { prospect_id: 1, company_email: 'info@c1.example.jp' },
        { prospect_id: 2, company_email: 'info@c2.example.jp' },
      ],
      datetime_list: null,
      days_from_lastday: 7,
    });
  });

  it('stays after a lost answer, and tries again under the same key', async () => {
    let answer: FakeAnswer = 'network';
    const requests = fakeApi({ 'POST /mail/send/2': () => answer });
    await open({ testTo: 'qa@example.com' });
    await press('送信');
    expect(await told('alert')).toMatch(/^サーバーに接続できませんでした/);
    answer = accepted;
    await press('送信');
    expect(onAccepted).toHaveBeenCalledExactlyOnceWith(55);
    expect(requests.map(({ headers }) => headers.get('Idempotency-Key'))).toEqual(Array(2).fill('key-of-this-dialog'));
    expect(requests[1]?.body).toEqual(requests[0]?.body);
  });

  it('shows the refusal of the server', async () => {
    fakeApi({ 'POST /mail/send/2': () => refused(409, '別の内容で送信済みです') });
    await open();
    await press('送信');
    expect(await told('alert')).toBe('別の内容で送信済みです');
    expect(onAccepted).not.toHaveBeenCalled();
  });

  it('tells of targets that fell out in the meantime', async () => {
    const skipped = [{ prospect_id: 2, reason: 'recently_sent' }];
    fakeApi({ 'POST /mail/send/2': () => ok({ status: 'accepted', send_log_id: 55, accepted: 1, skipped }) });
    await open();
    await press('送信');
    expect(await told('status')).toBe('1件は条件が変わったため対象外になりました');
    expect(onAccepted).toHaveBeenCalledExactlyOnceWith(55);
  });

  it('starts no progress where nobody was left to mail', async () => {
    const skipped = [1, 2].map((prospect_id) => ({ prospect_id, reason: 'recently_sent' }));
    fakeApi({ 'POST /mail/send/2': () => ok({ status: 'no-added', send_log_id: null, accepted: 0, skipped }) });
    await open();
    await press('送信');
    expect(await told('alert')).toMatch(/^送信できる会社がありません.*2件は対象外になりました（.+ 2件）$/);
    expect(onAccepted).not.toHaveBeenCalled();
    expect(onReserved).toHaveBeenCalledOnce();
  });
});

describe('reservation dialog', () => {
  const candidateDates = [
    { date: '2026-11-26', start_time: '9:00', end_time: '18:00' },
    { date: '2026-11-27', start_time: '13:00', end_time: '14:30' },
  ];
  const reservation = { sendAt: Date.parse('2026-11-24T09:00:00+09:00'), candidateDates };
  const LIST = 'GET /reservation/list';
  const POST = 'POST /reservation';
  const none = () => ok([]);
  const skip = (...reasons: string[]) => reasons.map((reason, index) => ({ prospect_id: index + 1, reason }));

  it('says what is reserved, for when, and with which dates', async () => {
    fakeApi({ [LIST]: none });
    const dialog = await open(reservation);
    expect(screen.getByRole('dialog', { name: '送信の予約' })).toBeDefined();
    expect(dialog.getByText('ご提案')).toBeDefined();
    expect(dialog.getByText('2件')).toBeDefined();
    expect(dialog.getByText('2026/11/24（火） 09:00')).toBeDefined();
    expect(dialog.getByText(/・11月26日\(木\) 9:00〜18:00\s・11月27日\(金\) 13:00〜14:30/)).toBeDefined();
    expect(dialog.getByText('本当に予約しますか？')).toBeDefined();
  });

  it('reserves once, tells of it and has the lists loaded again', async () => {
    const answer = later();
    const requests = fakeApi({ [LIST]: none, [POST]: () => answer.answer });
    await open(reservation);
    await press('予約');
    await press('予約');
    expect(screen.getByText('メールを予約中')).toBeDefined();
    await act(async () =>
      answer.come(ok({ status: 'added', id: 8, skipped: skip('reserved', 'inactive', 'reserved') })),
    );
    expect(await told('status')).toBe('メールが予約されました3件は対象外になりました（無効 1件、予約中 2件）');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(onReserved).toHaveBeenCalledOnce();
    expect(onAccepted).not.toHaveBeenCalled();
    const posts = requests.filter(({ method }) => method === 'POST');
    const update = {
      attack_list: ORDER.targets.map(({ prospect_id, company_email }) => ({ prospect_id, company_email })),
      datetime_list: candidateDates,
      active: 1,
    };
    expect(posts.map(({ body }) => body)).toEqual([
      {
        add_info: { sender_id: 2, send_at: '2026/11/24 09:00:00', test_send_mode: 0, ...update },
        duplicate_key_update_info: update,
        days_from_lastday: 7,
      },
    ]);
  });

  it('says before and meanwhile that it changes a reservation which is there', async () => {
    const answer = later();
    const known = later();
    const requests = fakeApi({ [LIST]: () => known.answer, [POST]: () => answer.answer });
    await open({ ...reservation, testTo: 'qa@example.com' });
    // It has its place before it is known to be so.
    const notice = screen.getByText(/^予約済みの日時です/);
    expect(notice.style.visibility).toBe('hidden');
    known.come(ok([{ id: 8 }]));
    await waitFor(() => expect(notice.style.visibility).toBe('visible'));
    expect(requests[0]?.query.get('where_info[test_send_mode]')).toBe('1');
    await press('予約');
    expect(screen.getByText('メール予約を更新中')).toBeDefined();
    await act(async () => answer.come(ok({ status: 'updated', id: 8, skipped: [] })));
    expect((await screen.findByText('メールの予約が更新されました')).closest('[role=status]')).not.toBeNull();
    expect(onReserved).toHaveBeenCalledOnce();
  });

  it.each([
    [['reserved', 'reserved'], 'アタックリストはすでに予約されています'],
    [
      ['reserved', 'not_found'],
      'アタックリストはすでに予約されています2件は対象外になりました（見込み客にない 1件、予約中 1件）',
    ],
    [
      ['inactive', 'not_found'],
      '予約できる送信対象がありませんでした2件は対象外になりました（見込み客にない 1件、無効 1件）',
    ],
  ])('warns where nothing was added (%j)', async (reasons, message) => {
    fakeApi({ [LIST]: none, [POST]: () => ok({ status: 'no-added', id: 8, skipped: skip(...reasons) }) });
    await open(reservation);
    await press('予約');
    expect(await told('alert')).toBe(message);
    expect(onReserved).toHaveBeenCalledOnce();
  });

  it('shows the refusal of the server and stays', async () => {
    fakeApi({ [LIST]: none, [POST]: () => refused(400, '予約日時を過ぎています。これからの日時を選んでください。') });
    await open(reservation);
    await press('予約');
    expect(await told('alert')).toMatch(/^予約日時を過ぎています/);
    expect(screen.getByRole('dialog')).toBeDefined();
    expect(onReserved).not.toHaveBeenCalled();
  });
});
