/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   job: announce_job → NOTIFY
 *   job: notice_of_import → notice_event
 */
import { cancelJob, followJob, getJob } from '#contract/account/jobs.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { exportProblem } from '../rights/my-rights.queries.ts';
import { cancelJob as cancel, exportedBy, findJob } from './job.queries.ts';
import { jobEvents } from './job-events.ts';

export function addJobRoutes(addRoute: AddRoute): void {
  const events = jobEvents();

  addRoute(getJob, async ({ params: { id }, account }) => {
    const job = await account.snapshot((tx) => findJob(tx, account.id, id));
    return job ?? notFound();
  });

  addRoute(followJob, ({ params: { id }, account, isLoggedIn }) => events.open(account, id, isLoggedIn));

  addRoute(cancelJob, ({ params: { id }, account }) =>
    account.transaction(async (tx) => {
      const job = await findJob(tx, account.id, id);
      if (!job) return notFound();
      if (job.kind === 'export') {
        const refused = await exportProblem(tx, account, await exportedBy(tx, account.id, id));
        if (refused) return refused;
      }
      if (!(await cancel(tx, account.id, id))) {
        return new Problem('job_ended', 'この処理はすでに終わっています。画面を読み込み直してください。');
      }
      const { memberId } = account;
      const detail = { job_id: id, job_kind: job.kind };
      await recordAudit(tx, { accountId: account.id, memberId, kind: 'job_cancelled', detail });
      return { status: 'cancelled' as const };
    }),
  );
}
