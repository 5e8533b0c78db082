import { sql } from 'kysely';
import type { TimelineEvent } from '#contract/companies/companies.ts';
import { addressee } from '#domain/mail/addressee.ts';
import { failureCause } from '#domain/sending/failure-cause.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { ListPage, type ListWindow } from '../../platform/http/answers.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import { showChanges } from '../own-fields/shown-changes.queries.ts';
import { loadCompany } from './company.queries.ts';

type Row = Omit<TimelineEvent, 'at' | 'cause' | 'changes' | 'test_send_mode'> & {
  readonly at: Date;
  readonly test_send_mode: boolean | null;
  readonly changes: Readonly<Record<string, readonly [unknown, unknown]>>;
  /** The number of rows of the whole history. */
  readonly total: number;
};

/** Reads a page of a company's mails, imports and changes, newest first. */
export function readTimeline(
  account: AccountDb,
  id: number,
  window: ListWindow,
): Promise<ListPage<TimelineEvent> | Problem> {
  return account.snapshot(async (tx) => {
    if (!(await loadCompany(tx, account.id, id))) return notFound();
    const rows = await readRows(tx, account.id, id, window);
    const all = rows.flatMap(({ changes }, row) =>
      Object.entries(changes).map(([field, [old, next]]) => ({ row, field, old, new: next })),
    );
    const changesOf = Map.groupBy(await showChanges(tx, account.id, all), ({ row }) => row);
    const events = rows.map(({ at, changes: _changes, person, test_send_mode, ...event }, row) => ({
      ...event,
      at: formatSecond(at.getTime()),
      person: person && { ...person, addressee: addressee(person.addressee) },
      cause: event.state && failureCause({ state: event.state, reply: event.smtp_reply, address: event.mail_to }),
      test_send_mode: test_send_mode === null ? null : test_send_mode ? (1 as const) : (0 as const),
      changes: (changesOf.get(row) ?? []).map(({ row: _row, ...change }) => change),
    }));
    const first = rows[0] ?? (await readRows(tx, account.id, id, { limit: 1, offset: 0 }))[0];
    return new ListPage(events, first?.total ?? 0, window);
  });
}

/** Reads a page of rows, each with the total. A company has some dozens. */
async function readRows(tx: Tx, accountId: number, id: number, { limit, offset }: ListWindow): Promise<Row[]> {
  const { rows } = await sql<Row>`
    WITH event AS (
      SELECT 'mail' AS kind, coalesce(d.finished_at, d.created_at) AS at, d.id AS place, log.member_id,
        d.sender_group_id, d.send_log_id, d.id AS delivery_id, log.mail ->> 'subject' AS subject, d.mail_to,
        CASE WHEN d.person_id IS NOT NULL THEN json_build_object('id', d.person_id, 'addressee', d.person_in_charge)
          END AS person,
        CASE d.state WHEN 'claimed' THEN 'queued' ELSE d.state END AS state, d.reason, d.smtp_reply, d.test_send_mode,
        NULL::bigint AS import_run_id, '{}'::jsonb AS changes
      FROM delivery AS d JOIN send_log AS log ON log.account_id = d.account_id AND log.id = d.send_log_id
      WHERE d.account_id = ${accountId} AND d.prospect_id = ${id}
      UNION ALL
      SELECT 'recorded', log.sent_at, log.id, log.member_id, log.sender_group_id, log.id, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, log.test_send_mode, NULL, '{}'
      FROM recorded_contact AS recorded
      JOIN send_log AS log ON log.account_id = recorded.account_id AND log.id = recorded.send_log_id
      WHERE recorded.account_id = ${accountId} AND recorded.prospect_id = ${id}
      UNION ALL
      SELECT kind, at, id, member_id, sender_group_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        import_run_id, changes
      FROM prospect_change WHERE account_id = ${accountId} AND prospect_id = ${id}
      UNION ALL
      SELECT CASE reply.kind WHEN 'auto_reply' THEN 'auto_replied' ELSE 'replied' END, reply.at, reply.id,
        reply.member_id, mail.sender_group_id, mail.send_log_id, reply.delivery_id, nullif(reply.subject, ''), NULL,
        NULL, NULL, NULL, NULL, NULL, NULL, '{}'
      FROM reply
      LEFT JOIN delivery AS mail ON mail.account_id = reply.account_id AND mail.id = reply.delivery_id
      WHERE reply.account_id = ${accountId} AND reply.prospect_id = ${id}
      UNION ALL
      SELECT 'added', p.created_at, 0, run.member_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        p.import_run_id, '{}'
      FROM prospect AS p
      LEFT JOIN import_run AS run ON run.account_id = p.account_id AND run.id = p.import_run_id
      WHERE p.account_id = ${accountId} AND p.id = ${id} AND NOT EXISTS (
        SELECT FROM prospect_change AS change
        WHERE change.account_id = p.account_id AND change.prospect_id = p.id AND change.kind = 'added')
    )
    SELECT event.kind, event.at, member.name AS member_name, event.sender_group_id, event.send_log_id,
      event.delivery_id, event.subject, event.mail_to, event.person, event.state, event.reason,
      event.smtp_reply, event.test_send_mode, event.import_run_id, run.file_name, event.changes,
      (count(*) OVER ())::integer AS total
    FROM event
    LEFT JOIN member ON member.account_id = ${accountId} AND member.id = event.member_id
    LEFT JOIN import_run AS run ON run.account_id = ${accountId} AND run.id = event.import_run_id
    ORDER BY event.at DESC, event.place DESC, event.kind
    LIMIT ${limit} OFFSET ${offset}`.execute(tx);
  return rows;
}
