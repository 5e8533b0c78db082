import type { z } from 'zod';
import type { listSenders } from '#contract/senders.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { pickColumns } from '../../platform/database/list-columns.ts';
import { countRows, ownRows, pageOf } from '../../platform/database/list-rows.ts';
import { confirmationSentAt, secondOrNull, selectSenders } from './sender.queries.ts';

type Query = z.output<(typeof listSenders)['query']>;

/** Lists the senders of an account by id. */
export const listSenderRows = (account: AccountDb, { where_info, columns, ...window }: Query, now: number) =>
  account.snapshot(async (tx) => {
    const own = ownRows('sender', account.id, where_info);
    const found = await selectSenders(tx)
      .select(confirmationSentAt(now))
      .where(own)
      .orderBy('sender.id')
      .limit(window.limit)
      .offset(window.offset)
      .execute();
    const rows = found.map(({ confirmed_at, confirmation_sent_at: sent_at, chosen_per_minute, ...row }) => {
      const is_confirmed = asFlag(confirmed_at !== null);
      return pickColumns(
        {
          ...row,
          active: asFlag(row.active),
          is_confirmed,
          confirmation_sent_at: secondOrNull(sent_at),
          mails_per_minute: chosen_per_minute,
        },
        columns,
      );
    });
    return pageOf(rows, window, () => countRows(tx, 'sender', own));
  });
