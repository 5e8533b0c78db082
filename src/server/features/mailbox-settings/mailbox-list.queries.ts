import { sql } from 'kysely';
import type { z } from 'zod';
import type { listMailboxes } from '#contract/senders/mailboxes.ts';
import type { MAILBOX_IDS, MAILBOX_PAUSES } from '#contract/senders/mailboxes-names.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { byKey, countRows, ownRows, pageOf, pickColumns, wantsColumn } from '../../platform/database/list-rows.ts';
import { Problem } from '../../platform/problem.ts';
import type { Mailbox } from '../mailboxes/mailbox.queries.ts';
import { TODAY, usedIn } from '../sending-rules/limits.queries.ts';
import { mayChange, readCaller } from './rights.queries.ts';

type Query = z.output<(typeof listMailboxes)['query']>;

/** Lists the mailboxes of an account by id. Counts mails and reads senders only for requested columns. */
export const listMailboxRows = (account: MemberDb, { where_info, columns, ...window }: Query, now: number) =>
  account.snapshot(async (tx) => {
    const caller = await readCaller(tx, account);
    if (caller instanceof Problem) return caller;
    const own = ownRows('mailbox', account.id, where_info);
    const found = await selectMailboxes(tx)
      .where(own)
      .orderBy('mailbox.id')
      .limit(window.limit)
      .offset(window.offset)
      .execute();
    const ids = found.map(({ id }) => id);
    const used = wantsColumn(columns, 'used_today') ? await usedToday(tx, account.id, ids) : new Map<number, number>();
    const senders = wantsColumn(columns, 'senders') ? await sendersOf(tx, account.id, ids) : new Map<number, Named[]>();
    const rows = found.map(({ checked_at, paused_until, why, read_at, ...row }) => {
      const isPaused = paused_until !== null && paused_until.getTime() > now;
      const may = mayChange(caller, row);
      return pickColumns(
        {
          ...row,
          // The casts are safe: CHECKs have the same names.
          kind: row.kind as Mailbox['kind'],
          security: row.security as Mailbox['security'],
          state: row.state as Mailbox['state'],
          ids: row.ids as (typeof MAILBOX_IDS)[number],
          is_mine: asFlag(row.owner_id === caller.memberId),
          may_change: asFlag(may),
          username: may ? row.username : '',
          reads_replies: asFlag(row.reads_replies),
          takes_refusals: asFlag(row.takes_refusals),
          checked_at: shown(checked_at),
          paused_until: isPaused ? shown(paused_until) : null,
          why: isPaused ? (why as (typeof MAILBOX_PAUSES)[number] | null) : null,
          read_at: shown(read_at),
          used_today: used.get(row.id) ?? 0,
          senders: senders.get(row.id) ?? [],
        },
        columns,
      );
    });
    return pageOf(rows, window, () => countRows(tx, 'mailbox', own));
  });

const shown = (instant: Date | null): string | null => instant && formatSecond(instant.getTime());

const selectMailboxes = (tx: Tx) =>
  tx
    .selectFrom('mailbox')
    .leftJoin('member', byKey('member', 'mailbox.owner_id'))
    .leftJoin('mailbox_state', (join) =>
      join
        .onRef('mailbox_state.account_id', '=', 'mailbox.account_id')
        .onRef('mailbox_state.mailbox_id', '=', 'mailbox.id'),
    )
    .select([
      'mailbox.id',
      'mailbox.kind',
      'mailbox.name',
      'mailbox.address',
      'mailbox.owner_id',
      'member.name as owner',
      'mailbox.smtp_host',
      'mailbox.smtp_port',
      'mailbox.security',
      'mailbox.username',
      'mailbox.imap_host',
      'mailbox.reads_replies',
      'mailbox.takes_refusals',
      'mailbox.other_from',
      'mailbox.ids',
      'mailbox.state',
      'mailbox.checked_at',
      'mailbox.per_day',
      'mailbox.per_minute',
      'mailbox.version',
      'mailbox_state.paused_until',
      'mailbox_state.why',
      'mailbox_state.last_fault',
      'mailbox_state.read_at',
      'mailbox_state.read_fault',
    ]);

/** Counts today's real mails of each mailbox, over its profiles. Stops counting at the limit of a day, for each. */
async function usedToday(tx: Tx, accountId: number, ids: readonly number[]): Promise<Map<number, number>> {
  const key = { accountId: sql.lit(accountId), profileId: sql.ref('profile.id') };
  const { rows } = await sql<{ id: number; used: number }>`
    SELECT mailbox.id, sum(${usedIn(key, TODAY, sql.ref('mailbox.per_day'))})::integer AS used
    FROM mailbox
    JOIN sender_profile AS profile ON profile.account_id = ${accountId} AND profile.mailbox_id = mailbox.id
    WHERE mailbox.account_id = ${accountId} AND mailbox.id = ANY (${ids}::bigint[])
    GROUP BY mailbox.id`.execute(tx);
  return new Map(rows.map(({ id, used }) => [id, used]));
}

interface Named {
  readonly id: number;
  readonly name: string;
}

/** Reads the active profiles of each mailbox, by id. */
async function sendersOf(tx: Tx, accountId: number, ids: readonly number[]): Promise<Map<number, Named[]>> {
  const { rows } = await sql<Named & { mailbox_id: number }>`
    SELECT mailbox_id, id, person_in_charge AS name FROM sender_profile
    WHERE account_id = ${accountId} AND active AND mailbox_id = ANY (${ids}::bigint[])
    ORDER BY id`.execute(tx);
  const senders = new Map<number, Named[]>();
  for (const { mailbox_id, ...sender } of rows) {
    const known = senders.get(mailbox_id);
    if (known) known.push(sender);
    else senders.set(mailbox_id, [sender]);
  }
  return senders;
}
