import { beforeEach, describe, expect, it, vi } from 'vitest';
import { LEFT_OUT_REASONS } from '#domain/sending/eligibility.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import type { CountedGroup } from '../left-out/left-out-groups.ts';
import { type NothingFacts, nothingText } from './nothing-text.ts';

const NOW = Date.parse('2026-11-29T12:00:00+09:00');
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }));

const groupsOf = (counts: Partial<Record<CountedGroup['group'], number>>): CountedGroup[] =>
  Object.entries(counts).map(([group, count]) => ({
    group: group as CountedGroup['group'],
    name: group === 'missing' ? 'リストにない会社' : DATA_MESSAGES.leftOut.reasons[group as 'reserved'],
    count,
  }));
const FACTS: NothingFacts = {
  groups: [],
  matched: 45,
  days: 7,
  nextAt: undefined,
  now: NOW,
  isChosen: false,
  isFollowUp: false,
  isFiltered: false,
};
const textOf = ({ groups = {}, ...change }: Partial<Omit<NothingFacts, 'groups'>> & { groups?: object }) =>
  nothingText({ ...FACTS, groups: groupsOf(groups), ...change })
    .map((part) => (typeof part === 'string' ? part : `[${part.text}|${'to' in part ? part.to : part.group}]`))
    .join('');

describe('the sentence of an empty list', () => {
  it('of one reason says it of all, and leads to them', () => {
    expect(textOf({ groups: { recently_sent: 45 }, nextAt: '2026/12/06 10:00' })).toBe(
      '[45社すべて|recently_sent]に、[7日|days]以内に送っています。12/6（日）から順に送れます。',
    );
    expect(textOf({ groups: { reserved: 1_000_000 } })).toBe('[1,000,000社すべて|reserved]が、予約済みです。');
    // The look-up of the day was too slow, or the first company is free today.
    expect(textOf({ groups: { recently_sent: 45 } })).toMatch(/送っています。$/);
    expect(textOf({ groups: { recently_sent: 45 }, nextAt: '2026/11/29 15:30' })).toMatch(
      /11\/29（日）15:30から順に送れます。$/,
    );
  });

  it('of one company names it', () => {
    const one = (group: string, only: NothingFacts['only'], change: Partial<NothingFacts> = {}) =>
      textOf({ matched: 1, ...change, groups: { [group]: 1 }, only });
    const name = '株式会社丸福学習館';
    expect(one('reserved', { name, sendAt: '2026/12/01 09:00' })).toBe(
      `[${name}|reserved]は、12/1（火）9:00に予約済みです。`,
    );
    expect(one('reserved', { name, sendAt: null })).toBe(`[${name}|reserved]は、予約済みです。`);
    expect(one('recently_sent', { name, sendAt: null }, { nextAt: '2026/12/06 10:00' })).toBe(
      `[${name}|recently_sent]に、[7日|days]以内に送っています。12/6（日）から送れます。`,
    );
    expect(one('suppressed', undefined)).toBe('[1社|suppressed]は、配信停止に登録されています。');
  });

  it('of several reasons names the two largest with their numbers', () => {
    const all = Object.fromEntries(LEFT_OUT_REASONS.map((reason, at) => [reason, at + 1]));
    expect(textOf({ groups: { ...all, suppressed: 30 }, nextAt: '2026/12/06 10:00' })).toBe(
      '送れる会社がありません。おもな理由は、[配信停止 30社|suppressed]と' +
        `[${DATA_MESSAGES.leftOut.reasons.recently_sent_elsewhere} 11社|recently_sent_elsewhere]です。` +
        '再送信間隔内の会社には、12/6（日）から順に送れます。',
    );
    expect(textOf({ groups: { reserved: 1, missing: 3 }, isChosen: true })).toBe(
      '送れる会社がありません。おもな理由は、[リストにない会社 3社|missing]と[予約中 1社|reserved]です。',
    );
  });

  it.each(LEFT_OUT_REASONS)('has a text for %s, of all and of one', (reason) => {
    expect(textOf({ groups: { [reason]: 2 } })).toMatch(new RegExp(`^\\[2社すべて\\|${reason}\\].*。$`));
    expect(textOf({ groups: { [reason]: 1 } })).not.toMatch(/すべて|\{/);
  });

  it('of a list without companies says whose list it is', () => {
    const none = { matched: 0, groups: {} };
    expect(textOf({ ...none, isFiltered: true })).toBe('条件に合う会社がありません。');
    expect(textOf({ ...none, isFollowUp: true })).toMatch(/^フォローアップできる会社がありません。/);
    expect(textOf({ ...none, isFollowUp: true, isFiltered: true })).toBe('条件に合う会社がありません。');
    expect(textOf({ matched: 0, groups: { missing: 3 }, isChosen: true })).toMatch(/^選んだ会社は、削除または/);
  });
});
