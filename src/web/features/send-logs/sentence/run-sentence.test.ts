import { describe, expect, it } from 'vitest';
import type { Run } from '#contract/sending/runs.ts';
import { run } from '#test/web/samples.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { runSentence } from './run-sentence.ts';

const NONE = { queued: 0, sending: 0, sent: 0, failed: 0, unknown: 0, cancelled: 0 };
const AT = '2026/11/24 08:00:00';
const at = sentenceTime(AT);

/** Returns the sentence for a run of 50 companies, 43 of them queued unless `values` says otherwise. */
const sentence = (values: Partial<Run>, wasStopped = false) => {
  const finished = values.finished ?? false;
  return runSentence(run(1, { ...NONE, targets: 50, queued: finished ? 0 : 43, ...values, finished }), wasStopped);
};

describe('the sentence of an open run', () => {
  it.each<[string, Partial<Run>, string]>([
    ['begins', {}, '50社に送っています。'],
    ['goes on', { sent: 6, failed: 1 }, '50社のうち6社まで送りました。1社には届きませんでした。'],
    ['is a test', { sent: 7, test_send_mode: 1 }, 'テストメール50通のうち7通まで送りました。'],
    ['is paused', { sent: 7, paused_by: 'user' }, '一時停止しています。50社のうち7社まで送りました。'],
    ['has a refused sender', { failed: 7, paused_by: 'sender_refused' }, '7社には届きませんでした。'],
    ['is taken for spam', { failed: 7, paused_by: 'policy_bounces' }, '7社には届きませんでした。'],
    [
      'was put off',
      { put_off_until: AT, put_off_reason: '祝日', put_off_by: 'hours' },
      `${sentenceTime(AT)}まで待っています（祝日）。そのあと50社に送ります。`,
    ],
    ['has reached a limit', { sent: 7, limited_until: AT }, '50社のうち7社まで送りました。'],
    ['has no connection', { transport_paused_until: AT }, '50社への送信を待っています。'],
    [
      'has a mailbox that cannot be reached',
      { mailbox_wait: 'fault', mailbox_until: AT },
      `メールボックスに接続できません。${at}に再開します。50社への送信を待っています。`,
    ],
    [
      'has a mailbox that is not read',
      { mailbox_wait: 'unread' },
      '返信を受信できないため、送信を止めています。50社への送信を待っています。',
    ],
    [
      'has a database that was set back',
      { sent: 7, database_rewound: true },
      'データベースが過去の状態に戻ったため、止まっています。50社のうち7社まで送りました。',
    ],
  ])('that %s', (_what, values, text) => {
    const open = 50 - (values.sent ?? 0) - (values.failed ?? 0);
    expect(sentence({ queued: open, ...values })).toBe(text);
  });
});

describe('the sentence of a run that has ended', () => {
  it.each<[string, Partial<Run>, string]>([
    ['well', { sent: 50 }, '50社に送りました。'],
    ['but for one', { sent: 49, failed: 1 }, '49社に送りました。1社には届きませんでした。'],
    ['with nothing sent', { failed: 50 }, '50社には届きませんでした。'],
    ['in doubt', { sent: 48, unknown: 2 }, '48社に送りました。2社は結果がわかりません。'],
    ['without some', { sent: 47, cancelled: 3 }, '47社に送りました。3社には送っていません。'],
    [
      'as a test',
      { sent: 8, failed: 1, unknown: 1, test_send_mode: 1 },
      'テストメールを8通送りました。1通は届きませんでした。1通は結果がわかりません。',
    ],
    ['for nobody', { targets: 0 }, '送る会社がありませんでした。'],
  ])('%s', (_what, values, text) => {
    expect(sentence({ ...values, finished: true })).toBe(text);
  });

  it('before its first mail', () => {
    const values = { cancelled: 50, finished: true, starts_at: AT, undone: 1 } as const;
    expect(sentence(values, true)).toBe('送信前に取り消しました。1通も送っていません。');
  });
  it('by a person', () => {
    const text = '送信を中止しました。7社に送りました。43社には送っていません。';
    expect(sentence({ sent: 7, cancelled: 43, finished: true }, true)).toBe(text);
  });
});
