import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { listSendLogs as listCall } from '#contract/send-log.ts';
import { formatSecond } from '#domain/tokyo-time.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import { asFlag, ownRows, pickColumns, wantsColumn } from '../../platform/list-rows.ts';

/**
 * The account's send logs, newest first. Their attack_list holds whom they count as contact with: mails that were sent or may
 * have been (unknown), and the companies of logs that were recorded by hand.
 */
export async function listSendLogs(
  account: AccountDb,
  { where_info, columns, limit }: z.output<(typeof listCall)['query']>,
): Promise<CallAnswer<typeof listCall>> {
  const contacted = sql<number[]>`to_json(ARRAY(
    SELECT d.prospect_id FROM delivery d
    WHERE d.account_id = send_log.account_id AND d.send_log_id = send_log.id AND d.state IN ('sent', 'unknown')
    UNION ALL
    SELECT c.prospect_id FROM recorded_contact c
    WHERE c.account_id = send_log.account_id AND c.send_log_id = send_log.id
    ORDER BY prospect_id))`;
  const rows = await account.transaction((tx) =>
    tx
      .selectFrom('send_log')
      .select(['id', 'sender_group_id', 'sender_id', 'sent_at', 'test_send_mode'])
      .$if(wantsColumn(columns, 'attack_list'), (query) => query.select(contacted.as('attack_list')))
      .where(ownRows('send_log', account.id, where_info))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),
  );
  return rows.map((row) =>
    pickColumns(
      { ...row, sent_at: formatSecond(row.sent_at.getTime()), test_send_mode: asFlag(row.test_send_mode) },
      columns,
    ),
  );
}
