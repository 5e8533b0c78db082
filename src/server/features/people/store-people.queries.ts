import { sql } from 'kysely';
import type { ChangeKind } from '#contract/companies/companies.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { PersonValues } from './people.queries.ts';
import { nameKey, type PersonKey } from './person-key.ts';

/** Whose change it is. */
export interface PeopleScope {
  readonly accountId: number;
  /** null: the operator. */
  readonly memberId: number | null;
  readonly importRunId?: number;
  readonly kind: ChangeKind;
}

interface PersonState extends PersonValues {
  readonly archived: boolean;
}

/** A person while writePeople() works. */
export interface Person extends PersonKey {
  /** null: not stored yet. */
  id: number | null;
  readonly state: PersonState;
  /** What is stored; null: nothing yet. */
  readonly stored: PersonState | null;
}

/** A locked company with its people, in the order of their ids. */
export interface CompanyPeople {
  readonly id: number;
  /** Whether this import added the company: then its history tells that alone. */
  readonly isNew: boolean;
  readonly storedPrimary: number | null;
  people: Person[];
  primary: Person | null;
}

export const keyOf = ({ name, department, email }: PersonValues): PersonKey => ({
  nameKey: nameKey(name),
  department,
  emailSearch: email === null ? null : addressKey(email),
});

/** Locks companies of the account, and reads all their people. @returns them by id; none of another account */
export async function lockWithPeople(
  tx: Tx,
  { accountId, importRunId }: Pick<PeopleScope, 'accountId' | 'importRunId'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, CompanyPeople>> {
  const { rows: companies } = await sql<{ id: number; person_id: number | null; isNew: boolean }>`
    SELECT id, person_id, coalesce(import_run_id = ${importRunId ?? null}, false) AS "isNew" FROM prospect
    WHERE account_id = ${accountId} AND id = ANY (${[...new Set(ids)]}::bigint[])
    ORDER BY id
    FOR NO KEY UPDATE`.execute(tx);
  const { rows } = await sql<PersonState & PersonKey & { id: number; prospect_id: number }>`
    SELECT id, prospect_id, name, name_key AS "nameKey", department, title, email, email_search AS "emailSearch", phone,
      met_on, archived_at IS NOT NULL AS archived
    FROM person
    WHERE account_id = ${accountId} AND prospect_id = ANY (${companies.map(({ id }) => id)}::bigint[])
    ORDER BY id`.execute(tx);
  const known = new Map<number, CompanyPeople>();
  for (const { id, person_id, isNew } of companies) {
    known.set(id, { id, isNew, storedPrimary: person_id, people: [], primary: null });
  }
  for (const { id, prospect_id, nameKey: key, emailSearch, ...state } of rows) {
    const company = known.get(prospect_id);
    const person = { nameKey: key, department: state.department, emailSearch, id, state, stored: state };
    company?.people.push(person);
    if (company?.storedPrimary === id) company.primary = person;
  }
  return known;
}

/** Stores what writePeople() has changed. New people get their ids. */
export async function storePeople(tx: Tx, scope: PeopleScope, companies: readonly CompanyPeople[]): Promise<void> {
  const people = companies.flatMap(({ id, people: all }) => all.map((person) => ({ prospectId: id, person })));
  await updatePeople(
    tx,
    scope,
    people.filter(({ person: { id, state, stored } }) => id !== null && state !== stored),
  );
  await insertPeople(
    tx,
    scope,
    people.filter(({ person }) => person.id === null),
  );
  await storePrimaries(
    tx,
    scope.accountId,
    companies.filter((company) => isMoved(company) || isPrimaryChanged(company)),
  );
  await recordChanges(tx, scope, companies);
}

const isMoved = ({ primary, storedPrimary }: CompanyPeople): boolean => (primary?.id ?? null) !== storedPrimary;
const isPrimaryChanged = ({ primary }: CompanyPeople): boolean => primary?.state.email !== primary?.stored?.email;

interface Placed {
  readonly prospectId: number;
  readonly person: Person;
}

/** A person's columns, as jsonb_to_recordset reads them. */
const rowOf = ({ prospectId, person: { id, state, nameKey: name_key, emailSearch: email_search } }: Placed) => ({
  ...state,
  id,
  prospect_id: prospectId,
  name_key,
  email_search,
});
const COLUMNS = sql`(id bigint, prospect_id bigint, name text, name_key text, department text, title text, email text,
  email_search text, phone text, met_on date, archived boolean)`;

async function updatePeople(tx: Tx, { accountId }: PeopleScope, people: readonly Placed[]): Promise<void> {
  if (people.length === 0) return;
  await sql`
    UPDATE person
    SET name = new.name, name_key = new.name_key, department = new.department, title = new.title, email = new.email,
      email_search = new.email_search, phone = new.phone, met_on = new.met_on, updated_at = now(),
      archived_at = CASE WHEN new.archived THEN coalesce(person.archived_at, now()) END
    FROM jsonb_to_recordset(${JSON.stringify(people.map(rowOf))}::jsonb) AS new ${COLUMNS}
    WHERE person.account_id = ${accountId} AND person.id = new.id`.execute(tx);
}

async function insertPeople(tx: Tx, { accountId, importRunId }: PeopleScope, people: readonly Placed[]): Promise<void> {
  if (people.length === 0) return;
  const { rows } = await sql<PersonKey & { id: number; prospectId: number }>`
    INSERT INTO person (account_id, prospect_id, name, name_key, department, title, email, email_search, phone, met_on,
      archived_at, import_run_id)
    SELECT ${accountId}::bigint, prospect_id, name, name_key, department, title, email, email_search, phone, met_on,
      CASE WHEN archived THEN now() END, ${importRunId ?? null}::bigint
    FROM ROWS FROM (jsonb_to_recordset(${JSON.stringify(people.map(rowOf))}::jsonb) AS ${COLUMNS})
      WITH ORDINALITY AS new (id, prospect_id, name, name_key, department, title, email, email_search, phone, met_on,
        archived, place)
    ORDER BY place
    RETURNING id, prospect_id AS "prospectId", name_key AS "nameKey", department,
      email_search AS "emailSearch"`.execute(tx);
  // By the unique key: the order of returned rows is not promised.
  const idOf = new Map(rows.map((row) => [textOf(row.prospectId, row), row.id]));
  for (const { prospectId, person } of people) person.id = idOf.get(textOf(prospectId, person)) ?? null;
}

const textOf = (prospectId: number, { nameKey: name, department, emailSearch }: PersonKey): string =>
  JSON.stringify([prospectId, name, department, emailSearch]);

/** Copies each company's 主担当 into its row, whose triggers then look at the address. */
async function storePrimaries(tx: Tx, accountId: number, companies: readonly CompanyPeople[]): Promise<void> {
  if (companies.length === 0) return;
  const rows = companies.map(({ id, primary }) => ({
    id,
    person_id: primary?.id ?? null,
    email: primary?.state.email ?? null,
    email_search: primary?.emailSearch ?? null,
  }));
  await sql`
    UPDATE prospect
    SET person_id = new.person_id, person_email = new.email, person_email_search = new.email_search
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS new (id bigint, person_id bigint, email text, email_search text)
    WHERE prospect.account_id = ${accountId} AND prospect.id = new.id`.execute(tx);
}

/** The columns that the history shows, each as `person.<id>.<column>`. */
const SHOWN = ['name', 'department', 'title', 'email', 'phone', 'met_on', 'archived'] as const;

/** Values as the history has them: no '', and the flag as the wire's. */
const shown = (state: PersonState | null, column: (typeof SHOWN)[number]): string | 0 | 1 | null => {
  if (state === null) return null;
  if (column === 'archived') return state.archived ? 1 : 0;
  return state[column] || null;
};

function changesOf({ people, primary, storedPrimary }: CompanyPeople): Record<string, [unknown, unknown]> {
  const changes: Record<string, [unknown, unknown]> = {};
  for (const { id, state, stored } of people) {
    if (state === stored) continue;
    for (const column of SHOWN) {
      const [old, now] = [shown(stored, column), shown(state, column)];
      if (old !== now && !(old === null && now === 0)) changes[`person.${id}.${column}`] = [old, now];
    }
  }
  const next = primary?.id ?? null;
  if (next !== storedPrimary) changes.person_id = [storedPrimary, next];
  return changes;
}

async function recordChanges(tx: Tx, scope: PeopleScope, companies: readonly CompanyPeople[]): Promise<void> {
  const rows = companies
    .filter(({ isNew }) => !isNew)
    .map((company) => ({ prospect_id: company.id, changes: changesOf(company) }))
    .filter(({ changes }) => Object.keys(changes).length > 0);
  if (rows.length === 0) return;
  await sql`
    INSERT INTO prospect_change (account_id, member_id, prospect_id, import_run_id, kind, changes)
    SELECT ${scope.accountId}::bigint, ${scope.memberId}::bigint, prospect_id, ${scope.importRunId ?? null}::bigint,
      ${scope.kind}::text, changes
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS new (prospect_id bigint, changes jsonb)
    ORDER BY prospect_id`.execute(tx);
}

/**
 * Makes the first person with an address, else the first, the 主担当 of each of these companies that has none. Locks
 * the companies.
 * @returns the ids of these people
 */
export async function setPrimaries(tx: Tx, scope: PeopleScope, prospectIds: readonly number[]): Promise<number[]> {
  const { accountId, memberId, importRunId = null, kind } = scope;
  const { rows } = await sql<{ id: number }>`
    WITH free AS MATERIALIZED (
      SELECT id FROM prospect
      WHERE account_id = ${accountId} AND id = ANY (${prospectIds}::bigint[]) AND person_id IS NULL
      ORDER BY id
      FOR NO KEY UPDATE
    ), chosen AS (
      SELECT DISTINCT ON (person.prospect_id) person.prospect_id, person.id, person.email, person.email_search
      FROM free JOIN person ON person.account_id = ${accountId} AND person.prospect_id = free.id
      WHERE person.archived_at IS NULL
      ORDER BY person.prospect_id, person.email_search IS NULL, person.id
    ), changed AS (
      UPDATE prospect
      SET person_id = chosen.id, person_email = chosen.email, person_email_search = chosen.email_search
      FROM chosen
      WHERE prospect.account_id = ${accountId} AND prospect.id = chosen.prospect_id
      RETURNING prospect.id, prospect.person_id, prospect.import_run_id
    ), recorded AS (
      INSERT INTO prospect_change (account_id, member_id, prospect_id, import_run_id, kind, changes)
      SELECT ${accountId}::bigint, ${memberId}::bigint, id, ${importRunId}::bigint, ${kind}::text,
        jsonb_build_object('person_id', jsonb_build_array(NULL, person_id))
      FROM changed
      WHERE ${importRunId}::bigint IS NULL OR import_run_id IS DISTINCT FROM ${importRunId}::bigint
      ORDER BY id
    )
    SELECT person_id AS id FROM changed`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Whose people an erasure deletes: all of the companies, and these. */
interface ErasedPeople {
  readonly companies: readonly number[];
  readonly people: readonly number[];
  readonly companiesOfPeople: readonly number[];
}

/** Deletes people for good. Companies whose 主担当 was one of them have none then. @returns how many */
export async function deletePeople(
  tx: Tx,
  { accountId, memberId, kind }: PeopleScope,
  { companies, people, companiesOfPeople }: ErasedPeople,
): Promise<number> {
  await sql`
    WITH known AS MATERIALIZED (
      SELECT id, person_id FROM prospect
      WHERE account_id = ${accountId} AND id = ANY (${companiesOfPeople}::bigint[])
        AND person_id = ANY (${people}::bigint[])
      ORDER BY id
      FOR NO KEY UPDATE
    ), cleared AS (
      UPDATE prospect SET person_id = NULL, person_email = NULL, person_email_search = NULL
      FROM known WHERE prospect.account_id = ${accountId} AND prospect.id = known.id
    )
    INSERT INTO prospect_change (account_id, member_id, prospect_id, kind, changes)
    SELECT ${accountId}::bigint, ${memberId}::bigint, id, ${kind}::text,
      jsonb_build_object('person_id', jsonb_build_array(person_id, NULL))
    FROM known ORDER BY id`.execute(tx);
  const { numAffectedRows } = await sql`
    DELETE FROM person
    WHERE account_id = ${accountId}
      AND (prospect_id = ANY (${companies}::bigint[]) OR id = ANY (${people}::bigint[]))`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
