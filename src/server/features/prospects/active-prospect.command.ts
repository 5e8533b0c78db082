import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { saveActiveProspect as saveCall } from '#contract/companies/prospects.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile, contentVersion, isStale } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import { groupProblem } from '../rights/group-problem.ts';

type Body = z.output<(typeof saveCall)['body']>;
type Flags = Body['duplicate_key_update_info'];

interface Target {
  readonly accountId: number;
  readonly senderGroupId: number;
  readonly prospectId: number;
}

/**
 * Saves a sender group's active flag and remarks for a prospect, unless the remarks have changed since `version`. A new
 * row gets the fields of `add_info` (by default active, without remarks); an existing row those of
 * `duplicate_key_update_info`, and keeps its other fields.
 * @param now epoch milliseconds
 * @returns 404 for a prospect or group of another account, or 409
 */
export function saveActiveProspect(
  account: MemberDb,
  { add_info, duplicate_key_update_info: update, version }: Body,
  now: number,
): Promise<CallAnswer<typeof saveCall> | Problem> {
  const { id: accountId, memberId, transaction } = account;
  const { prospect_id: prospectId, sender_group_id: senderGroupId, ...add } = add_info;
  const target = { accountId, senderGroupId, prospectId };
  return transaction(async (tx) => {
    const refused = await groupProblem(tx, account, 'sender_group', senderGroupId);
    if (refused) return refused;
    const before = version === undefined ? undefined : await readRemarks(tx, target);
    const isRepeated = before?.remarks === update.remarks;
    if (before && update.remarks !== undefined && !isRepeated && isStale(version, before.remarks)) {
      return remarksChanged(before);
    }
    const seen = update.remarks === undefined ? undefined : before?.remarks;
    const saved = await upsert(tx, { ...target, memberId }, { add, update, seen }, new Date(now));
    if (saved) return { status: saved.added ? 'added' : 'updated', version: contentVersion(saved.remarks) };
    const present = await readRemarks(tx, target);
    // Another member has saved between the two statements. Otherwise the prospect or group does not exist.
    return present.remarks === (seen ?? present.remarks) ? notFound() : remarksChanged(present);
  });
}

/** Reads the remarks, '' if never saved, with their writer and time. */
async function readRemarks(tx: Tx, { accountId, senderGroupId, prospectId }: Target) {
  const found = await tx
    .selectFrom('active_prospect')
    .leftJoin('member', (join) =>
      join.on('member.account_id', '=', accountId).onRef('member.id', '=', 'active_prospect.remarks_by'),
    )
    .select(['remarks', 'member.name as by', 'remarks_at as at'])
    .where('active_prospect.account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    .where('prospect_id', '=', prospectId)
    .executeTakeFirst();
  return found ?? { remarks: '', by: null, at: null };
}

const remarksChanged = ({ by, at }: { readonly by: string | null; readonly at: Date | null }): Problem =>
  changedMeanwhile('remarks_changed', { by, at, what: '備考を', path: 'duplicate_key_update_info.remarks' });

interface Wanted {
  readonly add: Flags;
  readonly update: Flags;
  /** The remarks that the caller has seen; undefined: any. */
  readonly seen: string | undefined;
}

/** @returns undefined if the prospect or group does not exist, or the remarks differ from those seen */
function upsert(
  tx: Tx,
  { accountId, senderGroupId, prospectId, memberId }: Target & { readonly memberId: number },
  { add, update, seen }: Wanted,
  updated_at: Date,
) {
  const by = sql<number | null>`${add.remarks === undefined ? null : memberId}::bigint`;
  return (
    tx
      .insertInto('active_prospect')
      .columns([
        'account_id',
        'sender_group_id',
        'prospect_id',
        'active',
        'remarks',
        'remarks_by',
        'remarks_at',
        'updated_at',
      ])
      .expression((eb) =>
        eb
          .selectFrom('prospect')
          .innerJoin('sender_group', 'sender_group.account_id', 'prospect.account_id')
          .select([
            'prospect.account_id',
            'sender_group.id as sender_group_id',
            'prospect.id as prospect_id',
            sql<boolean>`${add.active !== 0}::boolean`.as('active'),
            sql<string>`${add.remarks ?? ''}::text`.as('remarks'),
            by.as('remarks_by'),
            sql<Date | null>`${add.remarks === undefined ? null : updated_at}::timestamptz`.as('remarks_at'),
            sql<Date>`${updated_at}::timestamptz`.as('updated_at'),
          ])
          .where('prospect.account_id', '=', accountId)
          .where('prospect.id', '=', prospectId)
          .where('sender_group.id', '=', sql<number>`${senderGroupId}::bigint`),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'sender_group_id', 'prospect_id'])
          .doUpdateSet({
            ...(update.active !== undefined && { active: update.active === 1 }),
            ...(update.remarks !== undefined && {
              remarks: update.remarks,
              remarks_by: memberId,
              remarks_at: updated_at,
            }),
            updated_at,
          })
          .where(seen === undefined ? sql<boolean>`true` : sql<boolean>`active_prospect.remarks = ${seen}`),
      )
      // ON CONFLICT locks the row that it updates, which sets its xmax; an inserted row has none.
      .returning([sql<boolean>`active_prospect.xmax = 0`.as('added'), 'active_prospect.remarks'])
      .executeTakeFirst()
  );
}
