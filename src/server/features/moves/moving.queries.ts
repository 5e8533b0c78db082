import type { Tx } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';

/** How far the move of an account is. */
export interface Moving {
  readonly isFrozen: boolean;
  readonly moveNumber: number;
  /** The origin of its new home; null: it lives here. */
  readonly movedTo: string | null;
}

/** Locks the row of an account: freeze, thaw, move and what is held of it take turns. */
export async function lockMoving(tx: Tx, accountId: number): Promise<Moving> {
  const row = await tx
    .selectFrom('account')
    .select(['frozen_at', 'move_number', 'moved_to'])
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return { isFrozen: row.frozen_at !== null, moveNumber: row.move_number, movedTo: row.moved_to };
}

export const movedAway = (home: string) =>
  new Problem(409, 'moved', `このアカウントは ${home} に移りました。このサーバーでは、もう変えられません。`);
