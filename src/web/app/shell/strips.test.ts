import { expect, test } from 'vitest';
import { type MailboxFacts, worstStrip } from './strips.ts';

const stopped = { id: 5, cause: '差出人の拒否' };
const facts: { readonly mailboxes: MailboxFacts } = { mailboxes: { lost: null, hasAny: false, caught: null } };
const incompleteGroups = ['営業1課', '営業2課'].map((name) => ({ name, isUnconfirmed: false }));

test('only the most severe strip is shown', () => {
  expect(worstStrip({ ...facts, usesCatcher: true, stopped, incompleteGroups })).toEqual({
    tone: 'red',
    text: '送信を止めています：差出人の拒否',
    link: { to: '/sends/5', label: '原因を確認' },
  });
  expect(worstStrip({ ...facts, usesCatcher: true, stopped: null, incompleteGroups })).toEqual({
    tone: 'amber',
    text: '「営業1課」「営業2課」の法定表示が未入力のため、まだ会社には送れません',
    link: { to: '/settings/legal', label: '法定表示を入力', call: 'updateLegalProfile' },
  });
  const unconfirmed = incompleteGroups.map(({ name }) => ({ name, isUnconfirmed: name === '営業2課' }));
  expect(worstStrip({ ...facts, usesCatcher: true, stopped: null, incompleteGroups: unconfirmed })?.text).toBe(
    '「営業1課」の法定表示が未入力のため、まだ会社には送れません',
  );
  expect(
    worstStrip({ ...facts, usesCatcher: true, stopped: null, incompleteGroups: unconfirmed.slice(1) }),
  ).toMatchObject({
    text: '「営業2課」の法定表示の確認が済んでいないため、まだ会社には送れません',
    link: { label: '法定表示を確認' },
  });
  expect(worstStrip({ ...facts, usesCatcher: true, stopped: null, incompleteGroups: [] })?.tone).toBe('neutral');
  expect(worstStrip({ ...facts, usesCatcher: false, stopped: null, incompleteGroups: [] })).toBeNull();
});

test('a lost mailbox is named before what the law lacks, with the way to its dialog', () => {
  const mailboxes = { lost: { id: 3, name: '鈴木 彩' }, hasAny: true, caught: '田中 直樹' };
  expect(worstStrip({ usesCatcher: true, stopped: null, incompleteGroups, mailboxes })).toEqual({
    tone: 'red',
    text: '鈴木 彩の接続が切れました',
    link: { to: '/settings/mailboxes?reconnect=3', label: 'つなぎ直す' },
  });
  expect(worstStrip({ usesCatcher: true, stopped, incompleteGroups, mailboxes })?.text).toMatch(/^送信を止めています/);
});

test('whose mails stay in the catcher is named once the account has mailboxes', () => {
  const strip = (mailboxes: Partial<MailboxFacts>, usesCatcher = true) =>
    worstStrip({
      usesCatcher,
      stopped: null,
      incompleteGroups: [],
      mailboxes: { ...facts.mailboxes, ...mailboxes },
    });
  const link = { to: '/settings/mailboxes', label: 'メールボックスをつなぐ', call: 'addMailbox' };
  const text = 'メールは外部に送られません（サーバー未設定）';
  expect(strip({})).toEqual({ tone: 'neutral', text, link });
  // Without mailboxes nobody is named: it holds for all.
  expect(strip({ caught: '田中 直樹' })?.text).toBe(text);
  expect(strip({ hasAny: true, caught: '田中 直樹' })).toEqual({
    tone: 'neutral',
    text: '田中 直樹のメールは外部に送られません（メールボックス未接続）',
    link,
  });
  expect(strip({ hasAny: true })).toBeNull();
  expect(strip({ hasAny: true, caught: '田中 直樹' } as never, false)).toBeNull();
});
