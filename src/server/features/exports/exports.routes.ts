import { sql } from 'kysely';
import type { Job } from '#contract/account/jobs.ts';
import {
  deleteExport,
  type ExportRequest,
  getExportFile,
  listExports,
  startExport,
} from '#contract/companies/exports.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { createOnce } from '../../platform/database/create-once.ts';
import type { Tx } from '../../platform/database/db.ts';
import { hasRow } from '../../platform/database/list-rows.ts';
import { FileAnswer } from '../../platform/http/answers.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { acceptJob } from '../jobs/accept-job.command.ts';
import { exportedBy } from '../jobs/job.queries.ts';
import { ownColumnsOf } from '../prospects/list/own-columns.queries.ts';
import { checkedFilter, readOwnNames } from '../prospects/list/own-condition.queries.ts';
import { exportProblem, roleOf } from '../rights/my-rights.queries.ts';
import { type StorageLimits, storageFault } from '../stored-files/storage-limits.ts';
import { findFile, readStoredFile } from '../stored-files/stored-file.queries.ts';
import type { ExportResult } from './export-job.ts';

export function addExportRoutes(
  addRoute: AddRoute,
  { storageLimits }: { readonly storageLimits: StorageLimits },
): void {
  addRoute(startExport, async ({ body, headers, account }) => {
    const { add_info } = body;
    // Asked before the key, whose first answer may be an admin's.
    const refused = await account.snapshot((tx) => exportProblem(tx, account, add_info.what));
    if (refused) return refused;
    return createOnce(account, { call: startExport, key: headers['idempotency-key'], input: body }, async (tx) => {
      const unusable = await unusableRequest(tx, account.id, add_info);
      if (unusable) return unusable;
      // The file's size is not known yet: its first bytes must fit.
      const full = await storageFault(tx, account.id, { bytes: 1, isNew: true }, storageLimits);
      if (full) return full;
      const id = await acceptJob(tx, account, 'export', add_info);
      if (id instanceof Problem) return id;
      const detail = { job_id: id, what: add_info.what, format: add_info.format };
      await recordAudit(tx, { accountId: account.id, memberId: account.memberId, kind: 'export_started', detail });
      return { status: 'added' as const, id };
    });
  });

  addRoute(deleteExport, ({ params: { id }, account }) =>
    account.transaction(async (tx) => {
      const refused = await exportProblem(tx, account, await exportedBy(tx, account.id, id));
      if (refused) return refused;
      // Deletes the file too, and stops a worker that is writing it.
      const job = await tx
        .deleteFrom('job')
        .where('account_id', '=', account.id)
        .where('id', '=', id)
        .where('kind', '=', 'export')
        .returning('state')
        .executeTakeFirst();
      if (!job) return notFound();
      const detail = { job_id: id, state: job.state };
      await recordAudit(tx, { accountId: account.id, memberId: account.memberId, kind: 'export_deleted', detail });
      return { status: 'deleted' as const };
    }),
  );

  addRoute(listExports, ({ account }) => readExports(account));

  addRoute(getExportFile, async ({ params: { id }, account }) => {
    const file = await account.snapshot(async (tx) => {
      const refused = await exportProblem(tx, account, await exportedBy(tx, account.id, id));
      if (refused) return refused;
      const job = await tx
        .selectFrom('job')
        .select('result')
        .where('account_id', '=', account.id)
        .where('id', '=', id)
        .where('kind', '=', 'export')
        .where('state', '=', 'done')
        .executeTakeFirst();
      return job ? findFile(tx, account.id, (job.result as unknown as ExportResult).file_id) : null;
    });
    if (!file) return notFound();
    if (file instanceof Problem) return file;
    // Each piece is read in a transaction of its own: a slow download holds no connection.
    return new FileAnswer(
      readStoredFile((read) => account.snapshot(read), file),
      file,
    );
  });
}

/** Refuses a request that names what the account does not have. */
async function unusableRequest(tx: Tx, accountId: number, request: ExportRequest): Promise<Problem | undefined> {
  if (request.what === 'deliveries') {
    return (await hasRow(tx, 'send_log', { accountId, id: request.send_log_id })) ? undefined : notFound();
  }
  if (request.what !== 'prospects' && request.what !== 'people') return undefined;
  const { sender_group_id: id, own_columns = [] } = request;
  if (!(await hasRow(tx, 'sender_group', { accountId, id }))) return notFound();
  const names = await readOwnNames(tx, accountId);
  const checked = [checkedFilter(request, names), ownColumnsOf(own_columns, names)];
  return checked.find((one) => one instanceof Problem);
}

/** The most listed exports without a file. Those with a file are always listed, so that they can be deleted. */
const MAX_LISTED = 50;

/** Reads the latest exports, and all with a file or still open, newest first. Those of the audit are for admins. */
function readExports(account: MemberDb) {
  return account.snapshot(async (tx) => {
    const isAdmin = (await roleOf(tx, account)) === 'admin';
    const jobs = await tx
      .selectFrom('job')
      .leftJoin('stored_file as file', (join) =>
        join
          .onRef('file.account_id', '=', 'job.account_id')
          .on('file.id', '=', sql<number>`(job.result->>'file_id')::bigint`)
          .on('file.expires_at', '>', sql<Date>`now()`),
      )
      .select(['job.id', 'job.input', 'job.state', 'job.result', 'job.created_at'])
      .select(['file.name', 'file.bytes', 'file.expires_at'])
      .where('job.account_id', '=', account.id)
      .where('job.kind', '=', 'export')
      .$if(!isAdmin, (own) => own.where(sql<boolean>`job.input ->> 'what' <> 'audit'`))
      .where(({ eb, or, selectFrom }) =>
        or([
          eb('file.id', 'is not', null),
          eb('job.finished_at', 'is', null),
          eb(
            'job.id',
            'in',
            selectFrom('job as latest')
              .select('latest.id')
              .where('latest.account_id', '=', account.id)
              .where('latest.kind', '=', 'export')
              .orderBy('latest.id', 'desc')
              .limit(MAX_LISTED),
          ),
        ]),
      )
      .orderBy('job.id', 'desc')
      .execute();
    return jobs.map(({ id, input, state, result, created_at, name, bytes, expires_at }) => {
      const { what, format } = input as unknown as ExportRequest;
      const { rows = 0, replaced = 0 } = (result ?? {}) as Partial<ExportResult>;
      const file =
        name === null || bytes === null || expires_at === null
          ? null
          : { name, bytes, rows, replaced, expires_at: formatSecond(expires_at.getTime()) };
      return {
        id,
        what,
        format,
        state: state as Job['state'],
        created_at: formatSecond(created_at.getTime()),
        file,
      };
    });
  });
}
