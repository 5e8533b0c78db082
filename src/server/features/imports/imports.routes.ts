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
import { findImport, listAdded, listStored, type StoredImport } from './import.queries.ts';
import { listLines } from './import-line.queries.ts';
import { type ImportSettings, tableOf } from './import-settings.ts';
import { notChecked, shownImport } from './import-state.ts';
import { proposeColumns } from './read/table/chosen-header.ts';
import { startCheck, startRun, startUndo } from './start-job.ts';
import { lookAtUpload } from './upload/look.ts';
import { appendPart, beginImport } from './upload/upload.command.ts';

type Value = string | number | null;

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
  addRoute(getImport, async ({ params, account }) => {
    const run = await account.snapshot((tx) => findImport(tx, account.id, params.id));
    return run === null ? notFound() : shownImport(run);
  });
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
  addRoute(listImportChanges, ({ params, query, account }) =>
    query.kind === 'added'
      ? addedCompanies(account, params.id, query)
      : withReview(account, params.id, async (tx, file) => {
          const { rows, total } = await listLines(tx, file, { kind: 'changed' }, query);
          const changes = rows.map(({ file_row, prospect_id, company_name, changes: changed }) => ({
            row: file_row,
            prospect_id: prospect_id ?? 0,
            company_name,
            changes: Object.entries((changed ?? {}) as Record<string, [Value, Value]>).map(([field, [old, next]]) => ({
              field,
              old,
              new: next,
            })),
          }));
          return new ListPage(changes, total, query);
        }),
  );

  addRoute(listImportLines, ({ params, query, account }) =>
    withReview(account, params.id, async (tx, file) => {
      const { rows, total } = await listLines(tx, file, query, query);
      const lines = rows.map(({ kind, file_row, column_label, ...line }) => ({
        ...line,
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
    const { fileId, heading, name, settings } = found;
    const answer = {
      name: `取り込めない行_${name.replace(/\.\w+$/, '')}.csv`,
      mediaType: 'text/csv; charset=utf-8',
      bytes: null,
    };
    const columns = tableOf(settings ?? {})?.columns ?? proposeColumns(heading);
    return new FileAnswer(faultsFile(account, { fileId, heading, columns }), answer);
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

/** Reads the companies that an import has added. @returns 404 */
function addedCompanies(
  account: AccountDb,
  id: number,
  query: { readonly limit: number; readonly offset: number },
): Promise<ListPage<CallAnswer<typeof listImportChanges>[number]> | Problem> {
  return account.snapshot(async (tx) => {
    const run = await findImport(tx, account.id, id);
    if (run === null) return notFound();
    const { rows, total } = await listAdded(tx, account.id, id, query);
    const added = rows.map((company) => ({
      row: 0,
      prospect_id: company.id,
      company_name: company.company_name,
      changes: [],
    }));
    return new ListPage(added, total, query);
  });
}

interface ReviewedFile {
  readonly accountId: number;
  readonly fileId: number;
  readonly heading: readonly string[];
  readonly name: string;
  readonly settings: ImportSettings | null;
}

/** Reads the results of a check. @returns 404; 409 where there is no check, or its file has expired */
function withReview<Result>(
  account: AccountDb,
  id: number,
  read: (tx: Tx, file: ReviewedFile) => Promise<Result>,
): Promise<Result | Problem> {
  return account.snapshot(async (tx) => {
    const run: StoredImport | null = await findImport(tx, account.id, id);
    if (!run) return notFound();
    const { fileId, review, name, settings } = run;
    if (fileId === null || review === null) return notChecked();
    return read(tx, { accountId: account.id, fileId, heading: review.heading, name, settings });
  });
}
