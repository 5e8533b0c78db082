import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deferred, fakeApi, ok } from '#test/web/fake-api.ts';
import { renderPart } from '#test/web/render.tsx';
import { logInAs, target } from '#test/web/samples.ts';
import type { MailOrder } from '#web/lib/data/mail-order.ts';
import { useMailChecks } from './use-mail-checks.ts';

const ORDER: MailOrder = { senderId: 5, targets: [], days: 7, testTo: null, candidateDates: null };

const NOTHING_FOUND = { total: 0, checked: 0, warnings: [], skipped: [], legal_faults: [], without_source: 0 };

interface CheckedProps {
  readonly first?: MailOrder;
  readonly needsSource?: boolean;
}

function Checked({ first = ORDER, needsSource = false }: CheckedProps) {
  const [order, setOrder] = useState(first);
  const found = useMailChecks(order, needsSource);
  return (
    <>
      <ul>
        {found?.checks.map(({ kind, text, prospectIds }) => (
          <li key={text}>{[kind, text, prospectIds?.join()].join(' ').trim()}</li>
        ))}
      </ul>
      <p>{found === undefined ? 'loading' : 'checked'}</p>
      <button type="button" onClick={() => setOrder({ ...ORDER, senderId: 6 })}>
        another sender
      </button>
    </>
  );
}

it('an order waits for its own checks, not for those of the previous order', async () => {
  logInAs();
  const next = deferred();
  const answer = ok(NOTHING_FOUND);
  fakeApi({ 'POST /mail/check/5': () => answer, 'POST /mail/check/6': () => next.answer });
  const user = userEvent.setup();
  renderPart(<Checked />);
  await screen.findByText('checked');
  await user.click(screen.getByRole('button'));
  expect(screen.getByText('loading')).toBeDefined();
  next.resolve(answer);
  expect(await screen.findByText('checked')).toBeDefined();
});

it.each([
  ['a group that mails published addresses', true, null, ['note 公開元の記録なし 12社']],
  ['a group with another basis', false, null, []],
  ['a test', true, 'qa@example.com', []],
])('notes companies without a recorded source for %s', async (_, needsSource, testTo, notes) => {
  logInAs();
  fakeApi({ 'POST /mail/check/5': () => ok({ ...NOTHING_FOUND, total: 12, checked: 12, without_source: 12 }) });
  renderPart(<Checked first={{ ...ORDER, testTo }} needsSource={needsSource} />);
  await screen.findByText('checked');
  const lines = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(lines.slice(1)).toEqual(notes);
});

it('names blank own fields by their labels, and persons whose cards have no day', async () => {
  logInAs();
  const warnings = [{ kind: 'blank_field', text: 'custom.rank', count: 12, prospect_ids: [1] }];
  fakeApi({
    'POST /mail/check/5': () => ok({ ...NOTHING_FOUND, total: 20, checked: 20, warnings, without_met_on: 3 }),
    'GET /custom_field/list': () =>
      ok([{ id: 4, key: 'rank', label: 'ランク', type: 'choice', archived: 0, options: [] }]),
  });
  renderPart(<Checked />);
  expect(await screen.findByText('warning ランクが空欄の会社 12社 1')).toBeDefined();
  expect(screen.getByText('note 根拠の記録なし 3社（主担当の名刺交換日が空欄です）')).toBeDefined();
});

it('shows both sizes of a mail that the mail server would refuse, and the remedy', async () => {
  logInAs();
  const warnings = [{ kind: 'too_large', text: '123456/102400', count: 1, prospect_ids: [1] }];
  fakeApi({ 'POST /mail/check/5': () => ok({ ...NOTHING_FOUND, total: 1, checked: 1, warnings }) });
  renderPart(<Checked />);
  expect(
    await screen.findByText(
      'warning メールが大きすぎて送れません（約120.6 KB）。メールサーバーが受け取れるのは100 KBまでです。本文を短くするか、埋め込んだ画像をリンクに変えてください 1',
    ),
  ).toBeDefined();
});

it('the wait is not longer than the check of the server; a later answer is shown', async () => {
  logInAs();
  vi.useFakeTimers({ shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const answer = deferred();
  fakeApi({ 'POST /mail/check/5': () => answer.answer });
  renderPart(<Checked />);
  await act(() => vi.advanceTimersByTimeAsync(3000));
  expect(screen.getByText('loading')).toBeDefined();
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(
    screen.getByText('warning メールの内容の確認が終わりませんでした。送信するときに1通ずつ確認します'),
  ).toBeDefined();
  await act(async () => answer.resolve(ok({ ...NOTHING_FOUND, total: 1, checked: 1 })));
  expect(await screen.findByText('fine 差し込みに問題なし')).toBeDefined();
});

describe('what the check of all mails found', () => {
  async function checksOf(answer: object): Promise<(string | null)[]> {
    logInAs();
    fakeApi({ 'POST /mail/check/5': () => ok({ ...NOTHING_FOUND, ...answer }) });
    renderPart(<Checked first={{ ...ORDER, targets: [1, 2, 3, 4, 5].map(target) }} />);
    await screen.findByText('checked');
    return screen.queryAllByRole('listitem').map(({ textContent }) => textContent);
  }

  it('says that all are correct, and how many', async () => {
    expect(await checksOf({ total: 10, checked: 10 })).toStrictEqual(['fine 差し込み 10通とも問題なし']);
  });

  it('also says how many companies have no person', async () => {
    const warnings = [{ kind: 'blank_field', text: 'person_in_charge', count: 2, prospect_ids: [1, 2] }];
    expect(await checksOf({ total: 5, checked: 5, warnings })).toStrictEqual([
      'fine 差し込み 5通とも問題なし',
      'warning 代表者や主担当の氏名が空欄の会社 2社（「ご担当者様」で送ります） 1,2',
    ]);
  });

  it('names the companies whose mails have a fault', async () => {
    const warnings = [
      { kind: 'doubled_honorific', text: '山田様様', count: 4, prospect_ids: [1, 2, 4, 5] },
      { kind: 'unusable', text: '件名に改行が含まれています。', count: 1, prospect_ids: [3] },
      { kind: 'long_subject', text: '40', count: 5, prospect_ids: [1, 2, 3, 4, 5] },
    ];
    expect(await checksOf({ total: 5, checked: 5, warnings })).toStrictEqual([
      'warning 敬称が重なっています：山田様様（4通：第1商事、第2商事、第4商事 ほか1社） 1,2,4,5',
      'warning 件名に改行が含まれています（1通：第3商事） 3',
      'warning 件名が長すぎます（40字）。30字までをおすすめします（5通とも） 1,2,3,4,5',
    ]);
  });

  it('says if the time ran out before all were checked', async () => {
    expect(await checksOf({ total: 1000, checked: 840 })).toStrictEqual([
      'warning 1,000通のうち840通まで確認しました。残りは、送信するときに1通ずつ確認します',
    ]);
  });
});
