import type { Db } from '../../platform/database/db.ts';
import { type LimitOwner, usedUpLimit } from '../sending-rules/day-limits.queries.ts';

const LIMIT_OF_DAY = '1日の上限';

const REASONS: Readonly<Record<LimitOwner, string>> = {
  mailbox: `メールボックスの${LIMIT_OF_DAY}`,
  profile: `差出人の${LIMIT_OF_DAY}`,
  account: `アカウント全体の${LIMIT_OF_DAY}`,
};

interface LimitedRun {
  readonly profileId: number | null;
  /** By which its mails leave, with its limit of the day; null: the mail server of the environment. */
  readonly mailboxId: number | null;
  readonly perDay: number | null;
  /** null: no limit of the day holds its mails back. */
  readonly limitEndsAt: Date | null;
}

/**
 * Names, by profile, the limit of the day that holds mails back: the lowest, if it is used up today. A limit of the day
 * before holds them until the group opens, and is not named.
 */
export async function limitReasons(
  db: Db,
  accountId: number,
  runs: readonly LimitedRun[],
): Promise<(run: LimitedRun) => string> {
  const reasons = new Map<number, string>();
  for (const { limitEndsAt, profileId, mailboxId: id, perDay } of runs) {
    if (limitEndsAt === null || profileId === null || reasons.has(profileId)) continue;
    const box = id === null || perDay === null ? null : { id, perDay };
    const owner = await usedUpLimit(db, { accountId, profileId }, box);
    reasons.set(profileId, owner === null ? LIMIT_OF_DAY : REASONS[owner]);
  }
  return ({ profileId }) => reasons.get(profileId ?? 0) ?? LIMIT_OF_DAY;
}
