import { type RawBuilder, sql } from 'kysely';
import type { AuditRow } from '#contract/account/audit.ts';
import { AUDIT_SUBJECTS, type AuditSubject } from '#contract/account/audit-names.ts';
import { formatMinute } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { Tx } from '../../platform/database/db.ts';

/** Shown for what the account has no more. */
const GONE = '（削除済み）';

type Key = readonly [type: AuditSubject, id: number];

interface Named {
  readonly id: number;
  readonly name: string;
  /** The company that a mail or a reply is shown as. */
  readonly company?: number;
}

const isOneOf = (column: string, accountId: number, ids: readonly number[]) =>
  sql`account_id = ${accountId} AND ${sql.ref(column)} = ANY (${ids}::bigint[])`;

/** Makes the query of a table whose rows have their name in a column. */
const named =
  (table: string, name: RawBuilder<unknown>) =>
  (accountId: number, ids: readonly number[]): RawBuilder<Named> =>
    sql`SELECT id, ${name} AS name FROM ${sql.table(table)} WHERE ${isOneOf('id', accountId, ids)}`;

/** Makes the query of rows that are shown as their company. Its name is today's, which may have been erased. */
const ofCompany =
  (table: string) =>
  (accountId: number, ids: readonly number[]): RawBuilder<Named> =>
    sql`
      SELECT row.id, prospect.company_name AS name, prospect.id AS company
      FROM (SELECT id, prospect_id FROM ${sql.table(table)} WHERE ${isOneOf('id', accountId, ids)}) AS row
      JOIN prospect ON prospect.account_id = ${accountId} AND prospect.id = row.prospect_id`;

/** Reads names by ids, one query a type. */
const NAMES: Readonly<Record<AuditSubject, (accountId: number, ids: readonly number[]) => RawBuilder<Named>>> = {
  run: named('send_log', sql`coalesce(nullif(mail ->> 'subject', ''), '送信の詳細')`),
  reservation: named('reservation', sql`send_at`),
  company: named('prospect', sql`company_name`),
  mail: ofCompany('delivery'),
  reply: ofCompany('reply'),
  template: named('mail_template', sql`coalesce(nullif(name, ''), nullif(subject, ''), 'テンプレート')`),
  sender: (accountId, ids) => sql`
    SELECT sender.id, profile.person_in_charge AS name FROM sender
    JOIN sender_profile AS profile ON profile.account_id = ${accountId} AND profile.id = sender.profile_id
    WHERE sender.account_id = ${accountId} AND sender.id = ANY (${ids}::bigint[])`,
  person: named('sender_profile', sql`person_in_charge`),
  group: named('sender_group', sql`group_name`),
  member: named('member', sql`name`),
  invitation: named('invitation', sql`email`),
  import: named('import_run', sql`file_name`),
  folder: named('mail_template_folder', sql`name`),
  condition: named('saved_condition', sql`name`),
  closing_day: named('closing_day', sql`name`),
  suppression: named('lifted_suppression', sql`CASE kind WHEN 'domain' THEN '@' ELSE '' END || value`),
};

/** The names of rows of the account. */
export interface Names {
  /** Returns a name, or （削除済み）. */
  readonly nameOf: (...key: Key) => string;
  /** Returns what an event is about, in the form of the wire. */
  readonly subjectOf: (subject: string | null) => AuditRow['subject'];
}

/** Reads the names of some rows. */
export async function readNames(tx: Tx, accountId: number, keys: Iterable<Key>): Promise<Names> {
  const wanted = new Map<AuditSubject, Set<number>>();
  for (const [type, id] of keys) wanted.set(type, (wanted.get(type) ?? new Set()).add(id));
  const found = new Map<string, Named>();
  for (const [type, ids] of wanted) {
    const { rows } = await NAMES[type](accountId, [...ids]).execute(tx);
    for (const row of rows) found.set(`${type}:${row.id}`, row);
  }
  const nameOf = (type: AuditSubject, id: number) => written(found.get(`${type}:${id}`)?.name);
  const subjectOf = (subject: string | null) => {
    const key = keyOf(subject);
    if (key === null) return null;
    const [type, id] = key;
    const { company, name } = found.get(`${type}:${id}`) ?? {};
    const shown = company === undefined ? { type, id } : { type: 'company' as const, id: company };
    return { ...shown, name: written(name), is_gone: asFlag(name === undefined) };
  };
  return { nameOf, subjectOf };
}

const written = (name: string | Date | undefined): string =>
  name instanceof Date ? `${formatMinute(name.getTime())}の予約` : (name ?? GONE);

/** Reads the column `subject`. */
export function keyOf(subject: string | null): Key | null {
  const [type, id] = subject?.split(':') ?? [];
  const known = AUDIT_SUBJECTS.find((one) => one === type);
  return known === undefined || !Number.isSafeInteger(Number(id)) ? null : [known, Number(id)];
}
