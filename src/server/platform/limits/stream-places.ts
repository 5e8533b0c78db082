import { MAX_ACCOUNT_STREAMS, MAX_MEMBER_STREAMS } from '#domain/limits.ts';
import type { MemberDb } from '../database/account-db.ts';
import { Problem } from '../problem.ts';

/**
 * Counts the open streams of one kind in this process, by member and account.
 * @returns a function that takes a place, and returns the one that gives it back; 429 where all are taken
 */
export function streamPlaces(): (member: Pick<MemberDb, 'id' | 'memberId'>) => (() => void) | Problem {
  const taken = new Map<string, number>();
  const count = (key: string, change: 1 | -1) => {
    const places = (taken.get(key) ?? 0) + change;
    if (places > 0) taken.set(key, places);
    else taken.delete(key);
  };
  return ({ id: accountId, memberId }) => {
    const [ofAccount, ofMember] = [`${accountId}`, `${accountId} ${memberId}`];
    const isFull =
      (taken.get(ofMember) ?? 0) >= MAX_MEMBER_STREAMS || (taken.get(ofAccount) ?? 0) >= MAX_ACCOUNT_STREAMS;
    if (isFull) {
      return new Problem('too_many_streams', '開いている画面が多すぎます。使っていない画面を閉じてください。', 30);
    }
    for (const key of [ofAccount, ofMember]) count(key, 1);
    return () => {
      for (const key of [ofAccount, ofMember]) count(key, -1);
    };
  };
}
