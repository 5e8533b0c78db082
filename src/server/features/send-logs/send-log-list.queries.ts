import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { listSendLogs as listCall } from '#contract/send-logs.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { pickColumns, wantsColumn } from '../../platform/database/list-columns.ts';
import { countRows, ownRows, pageOf } from '../../platform/database/list-rows.ts';
import type { ListPage } from '../../platform/http/answers.ts';

/**
 * Lists the account's send logs, newest first.
 * `attack_list` holds the prospects that count as contacted: those of mails in state sent or unknown, and those of logs
 * that were recorded by hand.
 */
export function listSendLogs(
  account: AccountDb,
  { where_info, columns, ...window }: z.output<(typeof listCall)['query']>,
): Promise<ListPage<CallAnswer<typeof listCall>[number]>> {
  const contacted = sql<number[]>`to_json(ARRAY(
    SELECT d.prospect_id FROM delivery d
    WHERE d.account_id = send_log.account_id AND d.send_log_id = send_log.id AND d.state IN ('sent', 'unknown')
    UNION ALL
    SELECT c.prospect_id FROM recorded_contact c
    WHERE c.account_id = send_log.account_id AND c.send_log_id = send_log.id
    ORDER BY prospect_id))`;
  return account.transaction(async (tx) => {
    const own = ownRows('send_log', account.id, where_info);
    const found = await tx
      .selectFrom('send_log')
      .select(['id', 'sender_group_id', 'sender_id', 'sent_at', 'test_send_mode'])
      .$if(wantsColumn(columns, 'attack_list'), (query) => query.select(contacted.as('attack_list')))
      .where(own)
      .orderBy('id', 'desc')
      .limit(window.limit)
      .offset(window.offset)
      .execute();
    const rows = found.map((row) => {
      const sent_at = formatSecond(row.sent_at.getTime());
      return pickColumns({ ...row, sent_at, test_send_mode: asFlag(row.test_send_mode) }, columns);
    });
    return pageOf(rows, window, () => countRows(tx, 'send_log', own));
  });
}
