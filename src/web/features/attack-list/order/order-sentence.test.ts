import { describe, expect, it } from 'vitest';
import { type OrderFacts, orderText, type Part } from './order-sentence.ts';

const at = (clock: string) => Date.parse(`${clock}+09:00`);
const NOW = at('2026-11-20T17:20:00');
const TARGETS: NonNullable<OrderFacts['targets']> = {
  ticked: 10,
  aside: 0,
  overDomain: 0,
  perDomain: 0,
  limit: 10,
  isCutByTest: false,
  eligible: 261,
};
const REAL: OrderFacts = {
  sender: { subject: '受発注のご提案', name: '森 花子', isConfirmed: true },
  targets: TARGETS,
  hasFailed: false,
  fault: undefined,
  testTo: null,
  sendAt: null,
  now: NOW,
  days: 7,
  isFollowUp: false,
  isLegal: true,
};
const TEST: OrderFacts = { ...REAL, testTo: 'hanako@example.com' };
const LATER = { sendAt: at('2026-11-24T09:00:00') };

/** Puts the pressable parts in brackets, with their place. */
const marked = (parts: readonly Part[]) =>
  parts
    .map((part) => (typeof part === 'string' ? part : `[${part.text}|${'to' in part ? part.to : part.group}]`))
    .join('');
const plain = (parts: readonly Part[]) => parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');
const sentence = (facts: OrderFacts) => plain(orderText(facts).sentence);
const notes = (facts: OrderFacts) => orderText(facts).notes.map(plain);

describe('the sentence above the settings', () => {
  it.each<[string, OrderFacts, string, string]>([
    [
      'a test at once',
      TEST,
      '[「受発注のご提案」|template]を[10社分|limit]、[いますぐ|reservationMode] [hanako@example.com|testTo] に送ります。',
      'テスト送信（10通）',
    ],
    [
      'a test later',
      { ...TEST, ...LATER },
      '[「受発注のご提案」|template]を[10社分|limit]、[11/24（火）9:00|sendAt]に [hanako@example.com|testTo] へ送る予約をします。',
      'テスト送信を予約',
    ],
    [
      'a send at once',
      REAL,
      '[森 花子|template]から[10社|limit]に[「受発注のご提案」|template]を[いますぐ|reservationMode]送ります。',
      '10社に送信',
    ],
    [
      'a send later',
      { ...REAL, ...LATER },
      '[森 花子|template]から[10社|limit]に[「受発注のご提案」|template]を[11/24（火）9:00|sendAt]に送る予約をします。',
      '10社への送信を予約',
    ],
  ])('says what %s does, and each part leads to its control', (_, facts, words, button) => {
    const text = orderText(facts);
    expect([marked(text.sentence), text.button]).toEqual([words, button]);
    expect(text.notes.map(marked)).toEqual(['[7日|days]以内に送った会社は除いています。']);
  });

  it('says that the list has all companies that can get mail', () => {
    const targets = { ...TARGETS, ticked: 8, eligible: 8 };
    expect(sentence({ ...REAL, targets })).toBe(
      '森 花子から条件に合う8社すべてに「受発注のご提案」をいますぐ送ります。',
    );
    expect(sentence({ ...TEST, targets })).toContain('を条件に合う8社すべての分、');
    // With excluded targets the text must not say すべて.
    expect(sentence({ ...REAL, targets: { ...targets, ticked: 7, aside: 1 } })).toContain('から7社に');
  });

  it('links to テスト件数 if that cuts the list', () => {
    const targets = { ...TARGETS, ticked: 2, isCutByTest: true };
    expect(marked(orderText({ ...TEST, targets }).sentence)).toContain('[2社分|testLimit]');
  });

  it('names a list of chosen companies, and which of them get no mail', () => {
    const targets = { ...TARGETS, ticked: 2, eligible: 2 };
    const facts = { ...REAL, targets, chosen: { fallen: ['甲社', '乙社', '丙社', '丁社', '戊社'] } };
    expect(marked(orderText(facts).sentence)).toContain('から[選んだ2社|chosen]に');
    expect(notes(facts)).toContain('甲社、乙社、丙社ほか2社には送れません。');
    expect(sentence({ ...facts, testTo: 'a@example.com' })).toContain('を選んだ2社分、');
  });

  it('says that it is a follow-up', () => {
    const facts = { ...REAL, isFollowUp: true };
    expect(marked(orderText(facts).sentence)).toMatch(/^\[フォローアップ\|followUp\]：\[森 花子\|template\]から/);
    expect(sentence(facts)).toContain('「Re: 前のメールの件名」を');
    expect(sentence({ ...facts, followedSubject: '年末のご案内' })).toContain('「Re: 年末のご案内」を');
    expect(orderText({ ...facts, followedSubject: 're: 年末のご案内' }).subject).toBe('re: 年末のご案内');
    expect(orderText(REAL).subject).toBe('受発注のご提案');
    expect(sentence({ ...TEST, isFollowUp: true })).toMatch(/^フォローアップ：「Re: /);
  });
});

describe('in place of the sentence', () => {
  it.each<[string, Partial<OrderFacts>, string]>([
    ['nothing is known yet', { targets: undefined }, '送信対象を確認しています。'],
    ['the sender is not known yet', { sender: undefined }, '送信対象を確認しています。'],
    ['the targets cannot be read, which their card says', { targets: undefined, hasFailed: true }, ''],
    ['there is no template', { sender: null }, '[テンプレート|template]がないため、送れません。'],
    ['a setting is wrong', { fault: 'テスト送信先が入力されていません' }, '[テスト送信先が入力されていません。|fault]'],
    ['all are unticked', { targets: { ...TARGETS, ticked: 0, aside: 10 } }, 'すべての会社を外しています。'],
    [
      'the legal profile is not ready',
      { isLegal: false },
      '[法定表示|legal]がそろっていないため、会社には送れません。',
    ],
    [
      'the sender is not confirmed',
      { sender: { subject: '件名', name: '森', isConfirmed: false } },
      '[差出人のアドレス|confirmation]の確認が済んでいないため、会社には送れません。',
    ],
  ])('stands what is missing while %s', (_, change, words) => {
    expect(marked(orderText({ ...REAL, ...change }).sentence)).toBe(words);
  });

  it('says nothing that only real mail needs, in a test', () => {
    const facts = { ...TEST, isLegal: false, sender: { subject: '件名', name: '森', isConfirmed: false } };
    expect(sentence(facts)).toMatch(/^「件名」を/);
  });

  it('the button keeps its name, and has no number of nobody', () => {
    expect(orderText({ ...REAL, targets: undefined }).button).toBe('送信');
    const nobody = { ...TARGETS, ticked: 0, aside: 10 };
    const kinds = [TEST, { ...TEST, ...LATER }, REAL, { ...REAL, ...LATER }];
    expect(kinds.map((facts) => orderText({ ...facts, targets: nobody }).button)).toEqual([
      'テスト送信',
      'テスト送信を予約',
      '送信',
      '送信を予約',
    ]);
  });

  it('nothing stands for an empty list, which says why itself', () => {
    const text = orderText({ ...REAL, days: 0, isBadDomain: true, targets: { ...TARGETS, ticked: 0, eligible: 0 } });
    expect([text.sentence, text.notes, text.canOrder]).toEqual([[], [], false]);
  });

  it('the button can be done where the order can leave', () => {
    const canOrder = (change: Partial<OrderFacts>) => orderText({ ...REAL, ...change }).canOrder;
    expect([{}, { targets: undefined }, { sender: undefined }].map(canOrder)).toEqual([true, true, true]);
    const problems = [
      { sender: null },
      { fault: '誤り' },
      { isLegal: false },
      { hasFailed: true, targets: undefined },
      { targets: { ...TARGETS, ticked: 0, aside: 10 } },
    ];
    expect(problems.map(canOrder)).toEqual(problems.map(() => false));
    expect(canOrder({ isLegal: false, testTo: 'a@example.com' })).toBe(true);
  });
});

describe('the second line', () => {
  it('says how many are excluded from this order, and restores them', () => {
    const text = orderText({ ...REAL, targets: { ...TARGETS, ticked: 8, aside: 2 } });
    expect(text.notes.map(marked)[1]).toBe('2社を外しています [すべて戻す|bringBack]');
    expect(text.button).toBe('8社に送信');
  });

  it('names the domain whose mails are taken for spam, and leads to its settings', () => {
    expect(orderText({ ...REAL, isBadDomain: true }).notes.map(marked)[1]).toBe(
      '迷惑メールと判定されやすい設定です（[直し方|domains]）。',
    );
  });

  it('says that an interval of 0 excludes nobody', () => {
    expect(notes({ ...REAL, days: 0 })).toEqual(['再送信間隔が0日のため、送信したばかりの会社にも送ります。']);
  });

  it('says that one order takes 1,000 companies', () => {
    const most = '一度に送れるのは1,000社までです。並び順の先頭から1,000社を表示しています。';
    const targets = { ...TARGETS, ticked: 1000, limit: 1000, eligible: 1001 };
    expect(notes({ ...REAL, targets })).toContain(most);
    expect(notes({ ...REAL, targets: { ...targets, eligible: 1000 } })).not.toContain(most);
  });

  it('warns about real mail that arrives outside of office hours', () => {
    const night = { ...REAL, now: at('2026-11-21T22:00:00') };
    expect(orderText(night).notes.map(marked)).toContain(
      'いまは土日・夜間です。[予約モードにする|reservationMode]と、平日の昼間に送れます。',
    );
    const holiday = { ...REAL, sendAt: at('2026-11-23T09:00:00'), holidays: { '2026-11-23': {} } };
    expect(orderText(holiday).notes.map(marked)).toContain('[11/23（月）9:00|sendAt]は祝日です。');
    expect(notes({ ...night, testTo: 'a@example.com' })).toHaveLength(1);
  });

  it('warns by the hours of the group itself, and not by the usual ones', () => {
    const text = '送信時間外（金曜日）です';
    const closed = { ...REAL, ownHours: { text, isHeld: false } };
    expect(orderText(closed).notes.map(marked)[1]).toBe(
      `${text}。[予約モードにする|reservationMode]と、送信時間に送れます。`,
    );
    expect(orderText({ ...closed, ...LATER }).notes.map(marked)[1]).toBe(`[${text}。|sendAt]`);
    expect(notes({ ...closed, ownHours: { text, isHeld: true } })[1]).toBe(`${text}。`);
    expect(notes({ ...closed, testTo: 'a@example.com' })).toHaveLength(1);
    const night = { ...REAL, now: at('2026-11-21T22:00:00'), ownHours: { text: null, isHeld: false } };
    expect(notes(night)).toHaveLength(1);
  });
});
