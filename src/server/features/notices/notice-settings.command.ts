import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { getNoticeSettings, updateNoticeSettings } from '#contract/notices/notices.ts';
import { NOTICE_KINDS } from '#domain/account/notice.ts';
import { asFlag } from '../../platform/as-flag.ts';
import { type MemberDb, type MemberKey, memberKeyOf } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { recordAudit } from '../audit/record-audit.ts';

/** Reads a member's notice settings. */
export const readSettings = (account: MemberDb): Promise<CallAnswer<typeof getNoticeSettings>> =>
  account.snapshot(async (tx) => {
    const { screen_off, mail_off, ...own } = await ownRow(tx, memberKeyOf(account)).executeTakeFirstOrThrow();
    return {
      kinds: NOTICE_KINDS.map((kind) => ({
        kind,
        screen: asFlag(!screen_off.includes(kind)),
        mail: asFlag(!mail_off.includes(kind)),
      })),
      failure_percent: own.failure_percent,
      morning_summary: asFlag(own.morning_summary),
    };
  });

const ownRow = (tx: Tx, { accountId, memberId }: MemberKey) =>
  tx
    .selectFrom('notice_member')
    .select(['screen_off', 'mail_off', 'failure_percent', 'morning_summary'])
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId);

type Changes = z.output<(typeof updateNoticeSettings)['body']>['update_info'];

/** Changes a member's notice settings from now on. */
export const updateSettings = (
  account: MemberDb,
  { kinds = [], failure_percent, morning_summary }: Changes,
): Promise<CallAnswer<typeof updateNoticeSettings>> =>
  account.transaction(async (tx) => {
    const { id: accountId, memberId } = account;
    const before = await ownRow(tx, memberKeyOf(account)).forNoKeyUpdate().executeTakeFirstOrThrow();
    const offIn = (place: 'screen' | 'mail', off: readonly string[]): string[] =>
      NOTICE_KINDS.filter((kind) => {
        const wanted = kinds.findLast((one) => one.kind === kind && one[place] !== undefined)?.[place];
        return wanted === undefined ? off.includes(kind) : wanted === 0;
      });
    const after = {
      screen_off: offIn('screen', before.screen_off),
      mail_off: offIn('mail', before.mail_off),
      failure_percent: failure_percent ?? before.failure_percent,
      morning_summary: morning_summary === undefined ? before.morning_summary : morning_summary === 1,
    };
    await tx
      .updateTable('notice_member')
      .set(after)
      .where('account_id', '=', accountId)
      .where('member_id', '=', memberId)
      .execute();
    await recordAudit(tx, { accountId, memberId, kind: 'notice_settings_changed', detail: after });
    return { status: 'updated' as const };
  });
