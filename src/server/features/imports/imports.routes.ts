import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import { getImport, type ReviewKind, startImport, uploadImport } from '#contract/imports/imports.ts';
import { getImportFaults, listImportChanges, listImportLines, listImports } from '#contract/imports/imports-review.ts';
import {
  checkImport,
  deleteImportFile,
  discardImport,
  lookAtImport,
  runImport,
  undoImport,
} from '#contract/imports/imports-steps.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { FileAnswer, ListPage } from '../../platform/http/answers.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import type { CompaniesMax } from '../prospects/companies-max.queries.ts';
import type { StorageLimits } from '../stored-files/storage-limits.ts';
import { faultsFile } from './check/faults-file.ts';
import { deleteImportedFile, discard } from './discard.command.ts';
import { findImport, listAdded, listAddedPeople, listStored, type StoredImport } from './import.queries.ts';
import { type LineChanges, listLines } from './import-line.queries.ts';
import { type ImportSettings, tableOf } from './import-settings.ts';
import { notChecked, shownImport } from './import-state.ts';
import { importedColumns } from './imported-columns.queries.ts';
import { type ChosenColumn, proposeColumns } from './read/table/chosen-header.ts';
import { startCheck, startRun, startUndo } from './start-job.ts';
import { lookAtUpload } from './upload/look.ts';
import { appendPart, beginImport } from './upload/upload.command.ts';

export function addImportRoutes(
  addRoute: AddRoute,
  {
    now,
    storageLimits,
    companiesMax,
  }: CompaniesMax & { readonly now: () => number; readonly storageLimits: StorageLimits },
): void {
  addRoute(startImport, ({ body, headers, account }) =>
    beginImport(account, { body, key: headers['idempotency-key'] }, storageLimits),
  );
  addRoute(uploadImport, ({ params, query, bytes, account }) => appendPart(account, params.id, query, bytes));
  addRoute(getImport, ({ params, account }) =>
    account.snapshot(async (tx) => {
      const run = await findImport(tx, account.id, params.id);
      if (run === null) return notFound();
      const shown = shownImport(run);
      return run.state === 'imported' ? { ...shown, own_columns: await importedColumns(tx, account.id, run) } : shown;
    }),
  );
  addRoute(lookAtImport, ({ params, query, account, closed }) =>
    lookAtUpload(account, params.id, query, { signal: closed(), now: now() }),
  );

  addRoute(checkImport, ({ params, body, headers, account }) =>
    startCheck(account, params.id, { body, call: checkImport, key: headers['idempotency-key'] }),
  );
  addRoute(runImport, ({ params, body, headers, account }) =>
    startRun(account, params.id, { body, call: runImport, key: headers['idempotency-key'], companiesMax }),
  );
  addRoute(undoImport, ({ params, account }) => startUndo(account, params.id, undoImport, now()));
  addRoute(discardImport, ({ params, account }) => discard(account, params.id));
  addRoute(deleteImportFile, ({ params, account }) => deleteImportedFile(account, params.id));

  addReviewRoutes(addRoute);
}

function addReviewRoutes(addRoute: AddRoute): void {
  addRoute(listImportChanges, ({ params, query, account }) => listChanges(account, params.id, query));

  addRoute(listImportLines, ({ params, query, account }) =>
    withReview(account, params.id, async (tx, file) => {
      const places = placesOf(columnsOf(file));
      const { rows, total } = await listLines(tx, file, query, query, places.at);
      const lines = rows.map(({ kind, file_row, column_label, shown, ...line }) => ({
        ...line,
        ...(kind === 'refused' && places.of(shown)),
        kind: kind as ReviewKind,
        row: file_row,
        column: column_label,
      }));
      return new ListPage(lines, total, query);
    }),
  );

  addRoute(getImportFaults, async ({ params, account }) => {
    const found = await withReview(account, params.id, async (_tx, file) => file);
    if (found instanceof Problem) return found;
    const { fileId, heading, name } = found;
    const answer = {
      name: `取り込めない行_${name.replace(/\.\w+$/, '')}.csv`,
      mediaType: 'text/csv; charset=utf-8',
      bytes: null,
    };
    return new FileAnswer(faultsFile(account, { fileId, heading, columns: columnsOf(found) }), answer);
  });

  addRoute(listImports, ({ query, account }) =>
    account.snapshot(async (tx) => {
      const { rows, total } = await listStored(tx, account.id, query);
      const shown = rows.map((run) => ({
        ...shownImport(run),
        member_name: run.memberName,
        created_at: formatSecond(run.createdAt.getTime()),
      }));
      return new ListPage(shown, total, query);
    }),
  );
}

const columnsOf = ({ settings, heading }: ReviewedFile): readonly ChosenColumn[] =>
  tableOf(settings ?? {})?.columns ?? proposeColumns(heading);

type Changes = ListPage<CallAnswer<typeof listImportChanges>[number]>;
type ChangesAsked = z.output<(typeof listImportChanges)['query']>;

/** Reads what an import changes, or what it has added. @returns 404 or 409 */
const listChanges = (account: AccountDb, id: number, query: ChangesAsked): Promise<Changes | Problem> =>
  account.snapshot(async (tx) => {
    const run = await findImport(tx, account.id, id);
    if (run === null) return notFound();
    const { kind } = query;
    if (kind === 'added' || (kind === 'people_added' && run.importedAt !== null)) {
      const { rows, total } = await (kind === 'added' ? listAdded : listAddedPeople)(tx, account.id, id, query);
      const added = rows.map((one) => ({ row: 0, ...one, changes: [] }));
      return new ListPage(added, total, query);
    }
    const file = reviewedFile(account.id, run);
    return file instanceof Problem ? file : reviewedChanges(tx, file, query, kind);
  });

const LINES = { changed: 'changed', people_changed: 'person_changed', people_added: 'person_added' } as const;
/** The cells of a person's line. */
const PERSON_AT = [0, 1, 2, 3];

async function reviewedChanges(tx: Tx, file: ReviewedFile, page: ChangesAsked, kind: keyof typeof LINES) {
  const { rows, total } = await listLines(tx, file, { kind: LINES[kind] }, page, PERSON_AT);
  const changes = rows.map(({ file_row: row, prospect_id, company_name, value, shown, changes: changed }) => ({
    row,
    prospect_id: prospect_id ?? 0,
    company_name,
    ...(kind !== 'changed' && {
      // The id of an added person is rolled back with the check.
      person: { id: kind === 'people_changed' ? Number(value) : null, ...personOf(shown) },
    }),
    changes: Object.entries((changed ?? {}) as unknown as LineChanges).map(([field, [old, next, label]]) => ({
      field,
      ...(label != null && { label }),
      old,
      new: next,
    })),
  }));
  return new ListPage(changes, total, page);
}

const personOf = ([name = '', department = '', title = '', email = '']: readonly string[]) => ({
  name,
  department,
  title,
  email,
});

/** Finds the cells of a faulty row that say which company and person it is of. */
function placesOf(columns: readonly ChosenColumn[]) {
  const fields = [
    'company_name',
    'person_name',
    'person_department',
    'person_title',
    'person_email',
    'person_last_name',
    'person_first_name',
  ] as const;
  const at = fields.map((field) => columns.find((column) => column.field === field)?.index ?? -1);
  const hasPeople = at.slice(1).some((index) => index >= 0);
  return {
    at,
    of([company = '', name = '', department = '', title = '', email = '', last = '', first = '']: readonly string[]) {
      const person = personOf([name || `${last} ${first}`.trim(), department, title, email]);
      return { company_name: company || null, ...(hasPeople && { person }) };
    },
  };
}

interface ReviewedFile {
  readonly accountId: number;
  readonly fileId: number;
  readonly heading: readonly string[];
  readonly name: string;
  readonly settings: ImportSettings | null;
}

/** Reads the results of a check. @returns 404; 409 where there is no check, or its file has expired */
const withReview = <Result>(
  account: AccountDb,
  id: number,
  read: (tx: Tx, file: ReviewedFile) => Promise<Result>,
): Promise<Result | Problem> =>
  account.snapshot(async (tx) => {
    const run = await findImport(tx, account.id, id);
    if (!run) return notFound();
    const file = reviewedFile(account.id, run);
    return file instanceof Problem ? file : read(tx, file);
  });

function reviewedFile(accountId: number, { fileId, review, name, settings }: StoredImport): ReviewedFile | Problem {
  if (fileId === null || review === null) return notChecked();
  return { accountId, fileId, heading: review.heading, name, settings };
}
