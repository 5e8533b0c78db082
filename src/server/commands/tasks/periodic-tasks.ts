import { DAY_MS, HOUR_MS, MINUTE_MS } from '#domain/time-units.ts';
import { deleteOldEvents } from '../../features/audit/old-events.command.ts';
import { sweepDead } from '../../features/auth/sweep.ts';
import type { ReceiptTasks } from '../../features/delivery/guard/receipts-loop.ts';
import { checkDueDomains, type DailyCheckParts } from '../../features/domain-health/daily-checks.ts';
import { deleteOldJobs } from '../../features/jobs/job.queries.ts';
import { deleteOldStarts } from '../../features/mailbox-settings/consent.command.ts';
import { deleteOldInvitations } from '../../features/members/invitation-list.queries.ts';
import { deleteOldNotices } from '../../features/notices/notice-list.queries.ts';
import { deleteUnusedSets } from '../../features/own-fields/label-sets.queries.ts';
import { blankAndRest } from '../../features/retention/blank.command.ts';
import { deleteDeadFiles } from '../../features/stored-files/stored-file.queries.ts';
import type { Db } from '../../platform/database/db.ts';
import { RETRY_MS } from '../../platform/loop.ts';
import type { OperatorTask, PeriodicTask } from '../../platform/tasks/periodic-tasks.ts';
import { lookAtSchema, type SchemaParts } from './watch-schema.ts';

/* Work that runs periodically. Work that is woken, or polled every few seconds, is a loop of its room (startLoop). */

/** The tasks of every process. */
export const PROCESS_TASKS: readonly PeriodicTask<ProcessParts>[] = [
  { name: 'read which programs the schema permits', everyMs: MINUTE_MS, work: lookAtSchema },
  {
    name: "compare the database's clock with this machine's",
    everyMs: MINUTE_MS,
    work: ({ lookAtClock }) => lookAtClock(),
  },
];

interface ProcessParts extends SchemaParts {
  readonly lookAtClock: () => Promise<void>;
}

export const WEB_TASKS: readonly PeriodicTask<{
  /** A pool of the role kaitaku_login. */
  readonly login: Db;
}>[] = [
  {
    name: 'delete expired sessions and counters',
    everyMs: 10 * MINUTE_MS,
    work: ({ login }) => sweepDead(login, Date.now()),
  },
];

export const WORKER_TASKS: readonly PeriodicTask<WorkerParts>[] = [
  { name: 'delete old notices', everyMs: 10 * MINUTE_MS, work: ({ db }) => deleteOldNotices(db) },
  { name: 'delete dead files', everyMs: 10 * MINUTE_MS, work: ({ db }) => deleteDeadFiles(db) },
  { name: 'delete old jobs', everyMs: 10 * MINUTE_MS, work: ({ db }) => deleteOldJobs(db) },
  { name: 'delete old invitations', everyMs: 10 * MINUTE_MS, work: ({ db }) => deleteOldInvitations(db) },
  { name: 'delete expired consents of mailboxes', everyMs: 10 * MINUTE_MS, work: ({ db }) => deleteOldStarts(db) },
  { name: 'delete audit events of five years ago', everyMs: 60 * MINUTE_MS, work: ({ db }) => deleteOldEvents(db) },
  {
    name: 'delete sets of labels that no company has',
    everyMs: 60 * MINUTE_MS,
    work: ({ db }) => deleteUnusedSets(db),
  },
  { name: 'blank old mails', everyMs: MINUTE_MS, firstMs: MINUTE_MS, work: ({ db }) => blankAndRest(db) },
  {
    name: "check the senders' domains",
    everyMs: MINUTE_MS,
    firstMs: MINUTE_MS,
    work: ({ checks }) => checkDueDomains(checks),
  },
  {
    name: 'compare delivery receipts with the database',
    everyMs: MINUTE_MS,
    // A server that was set back must be detected within COMPARE_SECONDS (installation.queries).
    retryMs: RETRY_MS,
    work: async ({ receipts }) => receipts?.compare(),
  },
  {
    name: 'take erased addresses out of delivery receipts',
    // Below the minute within which an erased address must be removed from the closed files.
    everyMs: MINUTE_MS / 2,
    work: async ({ receipts }) => receipts?.erase(),
  },
];

interface WorkerParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly receipts: ReceiptTasks | null;
  readonly checks: DailyCheckParts;
}

/** `kaitaku backup --to`, which the operator starts each night. The alert KaitakuBackupLate has its name and limit. */
export const BACKUP_TASK: OperatorTask = { name: 'back up all accounts', everyMs: DAY_MS, lateMs: 26 * HOUR_MS };

export const OPERATOR_TASKS = [BACKUP_TASK];

/** The periodic tasks of all processes, and of the operator's commands. */
export const PERIODIC_TASKS: readonly (Pick<PeriodicTask<never>, 'name' | 'everyMs'> & Partial<OperatorTask>)[] = [
  ...PROCESS_TASKS,
  ...WEB_TASKS,
  ...WORKER_TASKS,
  ...OPERATOR_TASKS,
];
