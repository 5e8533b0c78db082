import type pg from 'pg';
import { dbOn, type Tx } from '../../../platform/database/db.ts';
import { onlyRow } from '../../../platform/database/only-row.ts';
import type { Refusal } from '../../../platform/problem.ts';
import { setPrimaries } from '../../people/store-people.queries.ts';
import { type PersonWrite, writePeople } from '../../people/write-people.command.ts';
import type { ExtraPlan } from '../read/cells/read-extras.ts';
import { lateFaults, type RowFault, tooManyLateFaults } from '../read/faults.ts';
import { eachCompanies, type StagedExtra } from './extra-staging.ts';
import type { Report } from './import-report.ts';
import { ACCOUNT, type ImportSource } from './import-run.queries.ts';
import { openLabels } from './labels.ts';
import { ownEntries } from './own-entries.ts';
import { writeOwnEntries } from './write-own-entries.ts';

/*
 * Merges what the rows of a file say of people, own fields, tags and our members, company by company: first the people,
 * then each company's 主担当, whose row then counts for the own values.
 */

export interface PeopleCounts {
  added: number;
  updated: number;
  unchanged: number;
}

export interface MergedExtras {
  readonly people: PeopleCounts;
  /** Rows that are refused after all. */
  readonly refused: ReadonlyMap<number, RowFault>;
}

/** The most rows that are refused after they were read. They are kept in memory until the file is read again. */
export const MAX_LATE_FAULTS = 200_000;

/** Whether the file has columns of ours about companies: own fields, tags, our member. */
export const hasOwn = ({ own, owner, tagsAt, tag }: ExtraPlan): boolean =>
  own.length > 0 || owner !== null || tagsAt.length > 0 || tag !== null;

/** Entries of one call of writePeople. */
const PEOPLE_OF_CALL = 2000;

/** @param afterPage called after some companies; if it throws, the merge ends */
export async function mergeExtras(
  client: pg.PoolClient,
  source: ImportSource,
  plan: ExtraPlan,
  { report, afterPage }: { readonly report: Report; readonly afterPage: () => Promise<void> },
): Promise<MergedExtras | Refusal> {
  const tx = dbOn(client) as Tx;
  const labels = await openLabels(tx, source, plan);
  const people: PeopleCounts = { added: 0, updated: 0, unchanged: 0 };
  const refused = new Map<number, RowFault>();
  const full = new Set<number>();
  await client.query('ANALYZE import_extra');
  const tooMany = await eachCompanies(client, {
    async take(rows) {
      const personOf = await mergePeople(tx, source, rows, { people, refused, full, report });
      await reportSamePeople(client, source.accountId, rows, { personOf, report });
      if (!hasOwn(plan)) return;
      const kept = rows.filter(({ row }) => !refused.has(row));
      const primaries = await readPrimaries(client, source.accountId, kept);
      const entries = ownEntries(kept, { plan, personOf, primaries, report });
      await writeOwnEntries(tx, source, plan, { entries, labels, report });
    },
    refuse({ row, prospectId, extra }) {
      const isPerson = extra.person !== null && full.has(prospectId);
      refused.set(row, isPerson ? lateFaults.tooManyPeople : lateFaults.tooManyRows);
    },
    async afterPage() {
      await afterPage();
      return refused.size > MAX_LATE_FAULTS ? tooManyLateFaults(MAX_LATE_FAULTS) : null;
    },
  });
  return tooMany ?? { people, refused };
}

interface PeopleParts {
  readonly people: PeopleCounts;
  readonly refused: Map<number, RowFault>;
  /** Companies that have as many people as a company may have. */
  readonly full: Set<number>;
  readonly report: Report;
}

/** Writes the people of these rows. @returns the person of each row */
async function mergePeople(
  tx: Tx,
  { accountId, memberId, importRunId }: ImportSource,
  rows: readonly StagedExtra[],
  { people, refused, full, report }: PeopleParts,
): Promise<ReadonlyMap<number, number>> {
  const scope = { accountId, memberId, importRunId, kind: 'imported' as const };
  const entries = rows.flatMap((row) => (row.extra.person === null ? [] : [{ ...row, person: row.extra.person }]));
  const personOf = new Map<number, number>();
  if (entries.length === 0) return personOf;
  const primaries = firstPrimaries(entries, report);
  const results = new Map<number, keyof PeopleCounts>();
  for (let at = 0; at < entries.length; at += PEOPLE_OF_CALL) {
    const part = entries.slice(at, at + PEOPLE_OF_CALL);
    const written = await writePeople(
      tx,
      scope,
      part.map(({ prospectId, row, person }): PersonWrite => {
        const { name, department, title, email, phone, metOn } = person;
        const isPrimary = primaries.get(prospectId) === row;
        return { prospectId, name, department, title, email, phone, metOn, ...(isPrimary && { isPrimary }) };
      }),
    );
    for (const [place, { prospectId, id, result }] of written.entries()) {
      const row = part[place]?.row ?? 0;
      if (id === null || result === 'too_many') {
        full.add(prospectId);
        refused.set(row, lateFaults.tooManyPeople);
        continue;
      }
      personOf.set(row, id);
      if (RANK[result] > RANK[results.get(id) ?? 'unchanged'] || !results.has(id)) results.set(id, result);
    }
  }
  const chosen = await setPrimaries(tx, scope, [...new Set(entries.map(({ prospectId }) => prospectId))]);
  for (const id of chosen) if (results.get(id) !== 'added') results.set(id, 'updated');
  for (const result of results.values()) people[result] += 1;
  return personOf;
}

/** Reports the rows whose person an earlier row of the file has: each row is a person, or a line of the check. */
async function reportSamePeople(
  client: pg.PoolClient,
  accountId: number,
  rows: readonly StagedExtra[],
  { personOf, report }: { readonly personOf: ReadonlyMap<number, number>; readonly report: Report },
): Promise<void> {
  const firstOf = new Map<number, number>();
  const repeats = rows.flatMap(({ row, prospectId }) => {
    const person = personOf.get(row);
    if (person === undefined) return [];
    const firstRow = firstOf.get(person);
    if (firstRow === undefined) firstOf.set(person, row);
    return firstRow === undefined ? [] : [{ row, firstRow, prospectId }];
  });
  if (repeats.length === 0) return;
  const { rows: companies } = await client.query<{ id: number; company_name: string }>(
    `SELECT id, company_name FROM prospect WHERE account_id = ${ACCOUNT} AND id = ANY ($2::bigint[])`,
    [accountId, [...new Set(repeats.map(({ prospectId }) => prospectId))]],
  );
  const names = new Map(companies.map(({ id, company_name }) => [id, company_name]));
  for (const { row, firstRow, prospectId } of repeats)
    report.add({
      kind: 'repeated',
      row,
      firstRow,
      column: '',
      value: names.get(prospectId) ?? '',
      reason: SAME_PERSON,
    });
}

const SAME_PERSON = '前の行と同じ会社の同じ人のため、1人にまとめます。違う値は、後の行のものになります。';

/** Of a person in several rows, one result counts. */
const RANK: Readonly<Record<keyof PeopleCounts, number>> = { unchanged: 0, updated: 1, added: 2 };

/** Finds the first row of each company with the mark of its 主担当. Further ones are reported. */
function firstPrimaries(
  entries: readonly (StagedExtra & { readonly person: { readonly isPrimary: boolean } })[],
  report: Report,
): ReadonlyMap<number, number> {
  const first = new Map<number, number>();
  for (const { prospectId, row, person } of entries) {
    if (!person.isPrimary) continue;
    const firstRow = first.get(prospectId);
    if (firstRow === undefined) first.set(prospectId, row);
    else report.add({ kind: 'not_taken', row, firstRow, column: '主担当', value: '○', reason: SECOND_PRIMARY });
  }
  return first;
}

const SECOND_PRIMARY = '主担当は1社に1人です。最初の行の人を主担当にします。';

/** Reads the 主担当 of companies with several rows, whose own values need an order. */
async function readPrimaries(
  client: pg.PoolClient,
  accountId: number,
  rows: readonly StagedExtra[],
): Promise<ReadonlyMap<number, number>> {
  const several = rows.flatMap(({ prospectId }, at) => (rows[at - 1]?.prospectId === prospectId ? [prospectId] : []));
  if (several.length === 0) return new Map();
  const { rows: found } = await client.query<{ id: number; person_id: number }>(
    `SELECT id, person_id FROM prospect
     WHERE account_id = ${ACCOUNT} AND id = ANY ($2::bigint[]) AND person_id IS NOT NULL`,
    [accountId, [...new Set(several)]],
  );
  return new Map(found.map(({ id, person_id }) => [id, person_id]));
}

/** Counts the existing companies that an import has changed: their own columns, or ours about them. */
export async function countUpdated(client: pg.PoolClient, { accountId, importRunId }: ImportSource): Promise<number> {
  const { rows } = await client.query<{ companies: number }>(
    `SELECT count(DISTINCT change.prospect_id)::integer AS companies
     FROM prospect_change AS change
     JOIN prospect ON prospect.account_id = change.account_id AND prospect.id = change.prospect_id
     WHERE change.account_id = $1 AND change.import_run_id = $2 AND prospect.import_run_id IS DISTINCT FROM $2
       AND EXISTS (SELECT FROM jsonb_object_keys(change.changes) AS key WHERE key NOT LIKE 'person%')`,
    [accountId, importRunId],
  );
  return onlyRow(rows).companies;
}
