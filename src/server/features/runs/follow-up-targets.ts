import { sql } from 'kysely';
import type { AskedTarget } from '#contract/attack-list.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { ListedTarget } from './targets.queries.ts';

/** Makes each target of a list a follow-up of a run. @param followUpOf undefined: the mails are first ones */
export const followUpTargets = (
  targets: readonly AskedTarget[],
  followUpOf: number | undefined,
): readonly ListedTarget[] =>
  followUpOf === undefined ? targets : targets.map((target) => ({ ...target, followUpOf }));

/** Checks whether the runs that targets follow up are of their sender group. */
export async function ownsFollowedRuns(
  tx: Tx,
  { accountId, senderGroupId }: { readonly accountId: number; readonly senderGroupId: number },
  targets: readonly ListedTarget[],
): Promise<boolean> {
  const runs = [...new Set(targets.flatMap(({ followUpOf }) => followUpOf ?? []))];
  if (runs.length === 0) return true;
  const { count } = await tx
    .selectFrom('send_log')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    .where('id', '=', sql<number>`any(${runs}::bigint[])`)
    .executeTakeFirstOrThrow();
  return count === runs.length;
}
