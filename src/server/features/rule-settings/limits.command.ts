import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { getSenderLimit, updateSenderLimit as updateCall } from '#contract/senders/sending-rules.ts';
import type { AccountDb, MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { hasRow } from '../../platform/database/list-rows.ts';
import { fieldProblem, notFound, type Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { requeueUnsent } from '../delivery/quota/sender-pace.command.ts';
import { type LimitKey, readLimits, type StoredLimit, stateOfToday } from '../sending-rules/limits.queries.ts';
import { bringForward, lockThrottles } from './release.queries.ts';

const MINUTES_OF_DAY = 24 * 60;
const DEFAULT_RAMP = { ramp_start: 20, ramp_percent: 30 };

const readLimit = async (tx: Tx, { accountId, profileId }: LimitKey): Promise<StoredLimit | undefined> =>
  (await readLimits(tx, accountId, sql.lit(profileId)))[0];

/** Reads the limit of a profile. @returns 404 */
export const getLimit = ({ id: accountId, snapshot }: AccountDb, profileId: number) =>
  snapshot(async (tx): Promise<CallAnswer<typeof getSenderLimit> | Problem> => {
    if (!(await hasRow(tx, 'sender_profile', { accountId, id: profileId }))) return notFound();
    const limit = await readLimit(tx, { accountId, profileId });
    if (!limit) return { profile_id: profileId, per_day: null, ramp_from: null, ...DEFAULT_RAMP, today: null };
    return {
      profile_id: profileId,
      per_day: limit.perDay,
      ramp_from: limit.rampFrom,
      ramp_start: limit.rampStart,
      ramp_percent: limit.rampPercent,
      today: stateOfToday(limit),
    };
  });

/**
 * Changes a profile's limit of the day; null removes it. A ramp with another first day or start restarts. Effective
 * with the next claim.
 * @returns 400 above what the operator's pace permits in a day, and for a ramp without a limit; 404
 */
export function updateLimit(
  { id: accountId, memberId, transaction }: MemberDb,
  profileId: number,
  { update_info: info }: z.output<(typeof updateCall)['body']>,
): Promise<CallAnswer<typeof updateCall> | Problem> {
  const key = { accountId, profileId };
  return transaction(async (tx) => {
    if (!(await hasRow(tx, 'sender_profile', { accountId, id: profileId }, 'FOR NO KEY UPDATE'))) return notFound();
    // The lock makes claims see the limit before or after the change.
    const throttle = (await lockThrottles(tx, accountId)).find(({ profile_id }) => profile_id === profileId);
    const stored = await readLimit(tx, key);
    const perDay = info.per_day === undefined ? stored?.perDay : info.per_day;
    if (perDay === undefined) {
      return fieldProblem('update_info.per_day', 'limit_missing', '1日の上限も指定してください。');
    }
    const most = throttle?.mails_per_minute ? throttle.mails_per_minute * MINUTES_OF_DAY : null;
    if (perDay !== null && most !== null && perDay > most) {
      const message = `管理者の決めた送信速度では、1日に${most.toLocaleString('en-US')}通までです。`;
      return fieldProblem('update_info.per_day', 'above_limit', message);
    }
    // Applies the limit to claimed mails that are not being sent, and releases mails that wait for another day. Mails
    // are locked before the limit, as by bounces that stop its ramp.
    await requeueUnsent(tx, { account_id: accountId, profile_id: profileId });
    await bringForward(tx, accountId, 'limit', sql`d.profile_id = ${profileId}`);
    if (perDay === null) await removeLimit(tx, key);
    else await writeLimit(tx, key, perDay, { ...ofStored(stored), ...info });
    const detail = { sender_profile_id: profileId, per_day: perDay };
    await recordAudit(tx, { accountId, memberId, kind: 'sender_limit_changed', detail });
    const limit = await readLimit(tx, key);
    return { status: 'updated', today: limit ? stateOfToday(limit) : null };
  });
}

interface WantedRamp {
  readonly ramp_from?: string | null | undefined;
  readonly ramp_start?: number | undefined;
  readonly ramp_percent?: number | undefined;
}

const ofStored = (stored: StoredLimit | undefined): WantedRamp =>
  stored
    ? { ramp_from: stored.rampFrom, ramp_start: stored.rampStart, ramp_percent: stored.rampPercent }
    : { ramp_from: null, ...DEFAULT_RAMP };

async function writeLimit(
  tx: Tx,
  { accountId, profileId }: LimitKey,
  perDay: number,
  { ramp_from = null, ramp_start, ramp_percent }: WantedRamp,
): Promise<void> {
  await sql`
    INSERT INTO sender_limit AS l (account_id, profile_id, per_day, ramp_from, ramp_start, ramp_percent)
    VALUES (${accountId}, ${profileId}, ${perDay}, ${ramp_from}::date, ${ramp_start}, ${ramp_percent})
    ON CONFLICT (account_id, profile_id) DO UPDATE SET per_day = excluded.per_day, ramp_from = excluded.ramp_from,
      ramp_start = excluded.ramp_start, ramp_percent = excluded.ramp_percent,
      ramp_step = CASE WHEN l.ramp_from = excluded.ramp_from AND l.ramp_start = excluded.ramp_start
        THEN l.ramp_step ELSE 0 END,
      ramp_day = CASE WHEN l.ramp_from = excluded.ramp_from AND l.ramp_start = excluded.ramp_start
        THEN l.ramp_day END`.execute(tx);
}

async function removeLimit(tx: Tx, { accountId, profileId }: LimitKey): Promise<void> {
  await tx.deleteFrom('sender_limit').where('account_id', '=', accountId).where('profile_id', '=', profileId).execute();
}
