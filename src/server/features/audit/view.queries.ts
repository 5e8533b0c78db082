import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { AuditRow, viewAudit as viewCall } from '#contract/account/audit.ts';
import type { AuditSubject } from '#contract/account/audit-names.ts';
import type { CallAnswer } from '#contract/call.ts';
import { MAX_AUDIT_DAYS, MAX_AUDIT_ROWS } from '#domain/limits.ts';
import { addDays } from '#domain/time/calendar.ts';
import { dayOf, formatSecond, instantOf } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { Problem } from '../../platform/problem.ts';
import { kindsOf, nobodyOf, sentenceOf } from './sentences/sentence-of.ts';
import { keyOf, readNames } from './subjects.queries.ts';

type Query = z.output<(typeof viewCall)['query']>;
type Filter = Omit<Query, 'pagenate_count' | 'pagenate_num'>;

/**
 * Reads a page of the account's audit, newest first.
 * One scan of an index finds page and total, and ends at MAX_AUDIT_ROWS: pages reach no further. @param now epoch
 * milliseconds
 */
export function viewAudit(
  account: AccountDb,
  { pagenate_count: limit, pagenate_num, ...filter }: Query,
  now: number,
): Promise<CallAnswer<typeof viewCall>> {
  const offset = Math.min((pagenate_num - 1) * limit, MAX_AUDIT_ROWS);
  const shown = Math.min(limit, MAX_AUDIT_ROWS - offset);
  return account.snapshot(async (tx) => {
    const { rows } = await sql<EventRow & { readonly found: number; readonly id: number | null }>`
      WITH found AS MATERIALIZED (
        SELECT id, at FROM audit_event WHERE ${conditionOf(account.id, filter, now)}
        ORDER BY at DESC, id DESC LIMIT ${MAX_AUDIT_ROWS + 1}
      ), page AS (
        SELECT id FROM found ORDER BY at DESC, id DESC LIMIT ${shown} OFFSET ${offset}
      )
      SELECT total.found, event.*
      FROM (SELECT count(*)::integer AS found FROM found) AS total
      LEFT JOIN (${eventsOf(account.id)} AND event.id = ANY (ARRAY(SELECT id FROM page))) AS event ON true
      ORDER BY event.at DESC, event.id DESC`.execute(tx);
    const found = rows[0]?.found ?? 0;
    return {
      rows: await asWire(
        tx,
        account.id,
        rows.filter(({ id }) => id !== null),
      ),
      total: Math.min(found, MAX_AUDIT_ROWS),
      is_more: asFlag(found > MAX_AUDIT_ROWS),
    };
  });
}

/** Events that are read and passed on together. */
const PIECE_ROWS = 1000;

/**
 * Reads all events of a filter, newest first, in one snapshot.
 * @param take called with each piece of rows and their total; if it refuses, the reading ends
 */
export function readAllAudit(
  account: AccountDb,
  filter: Filter,
  now: number,
  take: (rows: AuditRow[], total: number) => Promise<Problem | undefined>,
): Promise<Problem | undefined> {
  return account.snapshot(async (tx) => {
    const condition = conditionOf(account.id, filter, now);
    const { rows: counts } = await sql<{ total: number }>`
      SELECT count(*)::integer AS total FROM audit_event WHERE ${condition}`.execute(tx);
    const total = counts[0]?.total ?? 0;
    let before = sql<SqlBool>`true`;
    for (let read = 0; read < total; read += PIECE_ROWS) {
      const { rows } = await sql<EventRow>`
        ${eventsOf(account.id)} AND ${condition} AND ${before} ORDER BY at DESC, id DESC LIMIT ${PIECE_ROWS}`.execute(
        tx,
      );
      const problem = await take(await asWire(tx, account.id, rows), total);
      if (problem) return problem;
      const last = rows.at(-1);
      before = sql<SqlBool>`(at, id) < (${last?.exactly}::timestamptz, ${last?.id})`;
    }
    return undefined;
  });
}

interface EventRow {
  readonly id: number;
  readonly at: Date;
  /** `at` to the microsecond, which a Date has not. */
  readonly exactly: string;
  readonly kind: string;
  readonly detail: object;
  readonly member_id: number | null;
  readonly subject: string | null;
}

const eventsOf = (accountId: number) => sql`
  SELECT id, at, at::text AS exactly, kind, detail, member_id, subject FROM audit_event AS event
  WHERE event.account_id = ${accountId}`;

function conditionOf(accountId: number, { from, to, member, kinds, subject }: Filter, now: number) {
  const longest = MAX_AUDIT_DAYS - 1;
  const last = to ?? (from === undefined ? dayOf(now) : addDays(from, longest));
  const conditions = [
    sql`account_id = ${accountId}`,
    sql`at >= ${new Date(instantOf(from ?? addDays(last, -longest), 0))}`,
    sql`at < ${new Date(instantOf(addDays(last, 1), 0))}`,
    ...(member === undefined ? [] : [sql`member_id = ${member}`]),
    ...(kinds === undefined ? [] : [sql`kind = ANY (${kindsOf(kinds)}::text[])`]),
    ...(subject === undefined ? [] : [sql`subject = ${subject}`]),
  ];
  return sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`;
}

async function asWire(tx: Tx, accountId: number, events: readonly EventRow[]): Promise<AuditRow[]> {
  const wanted: [AuditSubject, number][] = [];
  const want = (...key: [AuditSubject, number]): string => {
    wanted.push(key);
    return '';
  };
  for (const { kind, detail, member_id, subject } of events) {
    sentenceOf(kind, detail, want);
    const key = keyOf(subject);
    if (key !== null) want(...key);
    if (member_id !== null) want('member', member_id);
  }
  const { nameOf, subjectOf } = await readNames(tx, accountId, wanted);
  return events.map(({ id, at, kind, detail, member_id, subject }) => ({
    id,
    at: formatSecond(at.getTime()),
    member_id,
    who: member_id === null ? nobodyOf(kind) : nameOf('member', member_id),
    text: sentenceOf(kind, detail, nameOf),
    subject: subjectOf(subject),
  }));
}
