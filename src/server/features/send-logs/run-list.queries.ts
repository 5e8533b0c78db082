import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { viewSendLogs as logsCall } from '#contract/send-history.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import { isDatabaseRewound, progressOf } from '../runs/progress.queries.ts';

/** Reads a page of the account's runs, newest first. @param now epoch milliseconds */
export function viewSendLogs(
  account: AccountDb,
  { pagenate_count, pagenate_num }: z.output<(typeof logsCall)['query']>,
  now: number,
): Promise<CallAnswer<typeof logsCall>> {
  return account.snapshot(async (tx) => {
    // Send logs that were recorded by hand have no sender, and are no runs.
    const runs = tx.selectFrom('send_log').where('account_id', '=', account.id).where('sender_id', 'is not', null);
    const page = await runs
      .select('id')
      .orderBy('id', 'desc')
      .limit(pagenate_count)
      .offset((pagenate_num - 1) * pagenate_count)
      .execute();
    const { total } = await runs.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
    const ids = page.map(({ id }) => id);
    return {
      rows: await progressOf(tx, account.id, ids, now),
      total,
      database_rewound: await isDatabaseRewound(tx),
    };
  });
}
