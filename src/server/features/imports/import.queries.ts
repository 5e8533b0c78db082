import { sql } from 'kysely';
import type { Import, ImportReview, UndoCounts } from '#contract/imports/imports.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { ImportSettings } from './import-settings.ts';

type StoredReview = ImportReview & { readonly heading: readonly string[] };

/** The results that a review of an older program lacks. */
const OF_OLDER: Partial<StoredReview> = { cut_phone: 0, phones: 'mend', not_taken: 0 };

/** A row of import_run with its upload and its last job. */
export interface StoredImport {
  readonly id: number;
  readonly name: string;
  readonly state: 'uploading' | 'uploaded' | 'checked' | 'imported' | 'undone';
  readonly fileId: number | null;
  readonly bytes: number | null;
  readonly uploaded: number | null;
  readonly headHash: string | null;
  readonly expiresAt: Date | null;
  readonly settings: ImportSettings | null;
  /** The sender group that gets the file's remarks; null: they are not imported. */
  readonly remarksGroupId: number | null;
  readonly remarksGroupName: string | null;
  readonly review: StoredReview | null;
  readonly jobId: number | null;
  readonly jobKind: string | null;
  readonly jobState: string | null;
  readonly jobResult: { readonly message?: string } | null;
  readonly memberName: string | null;
  readonly createdAt: Date;
  readonly importedAt: Date | null;
  readonly undone: UndoCounts | null;
  readonly counts: NonNullable<Import['counts']>;
}

const imports = (tx: Db, accountId: number) =>
  tx
    .selectFrom('import_run as run')
    .leftJoin('stored_file as file', (join) =>
      join
        .onRef('file.account_id', '=', 'run.account_id')
        .onRef('file.id', '=', 'run.file_id')
        .on('file.expires_at', '>', sql<Date>`now()`),
    )
    .leftJoin('job', (join) => join.onRef('job.account_id', '=', 'run.account_id').onRef('job.id', '=', 'run.job_id'))
    .leftJoin('member', (join) =>
      join.onRef('member.account_id', '=', 'run.account_id').onRef('member.id', '=', 'run.member_id'),
    )
    .leftJoin('sender_group', (join) =>
      join.onRef('sender_group.account_id', '=', 'run.account_id').onRef('sender_group.id', '=', 'run.sender_group_id'),
    )
    .select(['run.sender_group_id', 'sender_group.group_name', 'run.rows_repeated', 'run.rows_closed'])
    .select(['run.id', 'run.file_name', 'run.state', 'run.file_bytes', 'run.head_sha256', 'run.settings'])
    .select(['run.review', 'run.created_at', 'run.imported_at', 'run.undone', 'run.rows_added', 'run.rows_updated'])
    .select(['run.rows_unchanged', 'run.rows_refused', 'run.job_id', 'member.name as member_name'])
    .select(['run.people_added', 'run.people_updated', 'run.people_unchanged'])
    .select(['file.id as file_id', 'file.bytes as uploaded', 'file.expires_at'])
    .select(['job.kind as job_kind', 'job.state as job_state', 'job.result as job_result'])
    .where('run.account_id', '=', accountId);

type Row = Awaited<ReturnType<ReturnType<typeof imports>['execute']>>[number];

const stored = (row: Row): StoredImport => ({
  id: row.id,
  name: row.file_name,
  state: row.state as StoredImport['state'],
  fileId: row.file_id,
  bytes: row.file_bytes,
  uploaded: row.uploaded,
  headHash: row.head_sha256,
  expiresAt: row.expires_at,
  settings: row.settings as ImportSettings | null,
  remarksGroupId: row.sender_group_id,
  remarksGroupName: row.group_name,
  review: row.review === null ? null : { ...OF_OLDER, ...(row.review as unknown as StoredReview) },
  jobId: row.job_id,
  jobKind: row.job_kind,
  jobState: row.job_state,
  jobResult: row.job_result as StoredImport['jobResult'],
  memberName: row.member_name,
  createdAt: row.created_at,
  importedAt: row.imported_at,
  undone: row.undone as UndoCounts | null,
  counts: {
    added: row.rows_added,
    updated: row.rows_updated,
    unchanged: row.rows_unchanged,
    refused: row.rows_refused,
    repeated: row.rows_repeated,
    closed: row.rows_closed,
    ...(row.people_added !== null && {
      people: {
        added: row.people_added,
        updated: row.people_updated ?? 0,
        unchanged: row.people_unchanged ?? 0,
      },
    }),
  },
});

/** Reads an import. @param lock locks the row until the transaction ends */
export async function findImport(
  tx: Db,
  accountId: number,
  id: number,
  { lock = false } = {},
): Promise<StoredImport | null> {
  if (lock) {
    await sql`SELECT FROM import_run WHERE account_id = ${accountId} AND id = ${id} FOR NO KEY UPDATE`.execute(tx);
  }
  const row = await imports(tx, accountId).where('run.id', '=', id).executeTakeFirst();
  return row ? stored(row) : null;
}

/** Reads a page of the imports, newest first: those that changed the list, and those whose upload still exists. */
export async function listStored(
  tx: Tx,
  accountId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: StoredImport[]; total: number }> {
  const shown = imports(tx, accountId).where(({ eb, or }) =>
    or([eb('run.state', 'in', ['imported', 'undone']), eb('file.id', 'is not', null)]),
  );
  const rows = await shown.orderBy('run.id', 'desc').limit(limit).offset(offset).execute();
  const { total } = await shown
    .clearSelect()
    .select(sql<number>`count(*)::integer`.as('total'))
    .executeTakeFirstOrThrow();
  return { rows: rows.map(stored), total };
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Reads a page of the companies that an import has added, in the order of their ids. */
export async function listAdded(tx: Tx, accountId: number, importRunId: number, { limit, offset }: Page) {
  const added = tx.selectFrom('prospect').where('account_id', '=', accountId).where('import_run_id', '=', importRunId);
  const companies = added.select(['id as prospect_id', 'company_name']).orderBy('id');
  const rows = await companies.limit(limit).offset(offset).execute();
  const { total } = await added.select(sql<number>`count(*)::integer`.as('total')).executeTakeFirstOrThrow();
  return { rows, total };
}

/** Reads a page of the people whom an import has added, in the order of their ids. */
export async function listAddedPeople(tx: Tx, accountId: number, importRunId: number, { limit, offset }: Page) {
  const added = tx
    .selectFrom('person')
    .where('person.account_id', '=', accountId)
    .where('person.import_run_id', '=', importRunId);
  const people = await added
    .innerJoin('prospect', (join) =>
      join.onRef('prospect.account_id', '=', 'person.account_id').onRef('prospect.id', '=', 'person.prospect_id'),
    )
    .select(['person.id', 'person.prospect_id', 'company_name', 'name', 'department', 'title', 'person.email'])
    .orderBy('person.id')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await added.select(sql<number>`count(*)::integer`.as('total')).executeTakeFirstOrThrow();
  const rows = people.map(({ prospect_id, company_name, email, ...person }) => ({
    prospect_id,
    company_name,
    person: { ...person, email: email ?? '' },
  }));
  return { rows, total };
}
