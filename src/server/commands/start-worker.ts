import { join } from 'node:path';
import type { Logger } from 'pino';
import { startDeliveryWorker } from '../features/delivery/delivery-worker.ts';
import { queueFigures } from '../features/delivery/queue-figures.queries.ts';
import { recordMaxMailBytes } from '../features/delivery/quota/max-mail-bytes.ts';
import type { Transport } from '../features/delivery/transports/transport.ts';
import { exportHandler } from '../features/exports/export-job.ts';
import { importHandlers } from '../features/imports/import-jobs.ts';
import { openInbox } from '../features/inbox/imap-session.ts';
import { startInboxReader } from '../features/inbox/inbox-reader.ts';
import { inboxFigures } from '../features/inbox/inbox-state.queries.ts';
import { type MailThread, openMailThread } from '../features/inbox/parse-beside.ts';
import type { InboxServices } from '../features/inbox/take-mail.command.ts';
import { startJobWorker } from '../features/jobs/job-worker.ts';
import { logUnusableTemplates } from '../features/mail-templates/template-faults.ts';
import { startMailboxReader } from '../features/mailbox-reading/mailbox-reader.ts';
import { openMailboxSession } from '../features/mailbox-reading/mailbox-session.ts';
import { mailerByMailboxes } from '../features/mailbox-settings/system-mails.ts';
import type { MailboxServices } from '../features/mailboxes/mailbox-log-in.ts';
import { passOn } from '../features/moves/pass-on.command.ts';
import { startNoticeWorker } from '../features/notices/notice-worker.ts';
import { startReportFolder } from '../features/reports/report-folder.ts';
import { startReservationScheduler } from '../features/reservations/reservation-scheduler.ts';
import { accountSenderOf } from '../features/sender-addresses/confirmed-address.queries.ts';
import { storageFigures } from '../features/stored-files/storage-limits.ts';
import { accountDbOf } from '../platform/database/account-db.ts';
import { type Database, type Db, openListeningClient } from '../platform/database/db.ts';
import type { DatabaseAccess } from '../platform/database/roles/database-access.ts';
import type { AccountHosts } from '../platform/http/hosts.ts';
import { startLoop } from '../platform/loop.ts';
import { systemSender } from '../platform/mail/system-sender.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { outboundWith } from '../platform/outbound/outbound.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import type { Settings } from '../platform/settings.ts';
import { listenForWork } from '../platform/work-signal.ts';
import type { RunWithTasks, Surroundings } from './run-until-stopped.ts';
import { WORKER_TASKS } from './tasks/periodic-tasks.ts';

interface WorkerParts extends Surroundings {
  readonly accountHosts: AccountHosts;
  /** Opens the log-ins of mailboxes; without a key they are left alone. */
  readonly secrets: Secrets;
}

/**
 * Starts the loops and periodic tasks of a worker: delivery, reservations, jobs, reports, inbox, mailboxes, notices.
 */
export function startWorker(
  { settings, log, metrics, running, tasks }: RunWithTasks,
  access: DatabaseAccess,
  { db, pool }: Database,
  transport: Transport,
  { accountHosts: { urlOf }, secrets, usesCatcher = false, freeBytes = null }: WorkerParts,
): void {
  const workSignal = listenForWork({ openClient: () => openListeningClient(access.urlOf('service')), db, log });
  running.push(() => workSignal.close());
  running.push(recordMaxMailBytes({ db, transport, log }));
  metrics?.watchQueue(() => queueFigures(db, secrets.keyIds));
  const common = { db, now: Date.now, log };
  const { dnsServers, mailHostsAllowed } = settings;
  const outbound = outboundWith({ dnsServers, allowed: mailHostsAllowed });
  const mailboxes: MailboxServices = { secrets, outbound, now: Date.now };
  const started = startDeliveryWorker({
    ...common,
    transport,
    mailboxes: secrets.keyIds.length > 0 ? mailboxes : undefined,
    connections: settings.workerConnections,
    metrics,
    workSignal,
    receiptsFolder: join(settings.dataDir, 'receipts'),
  });
  void logUnusableTemplates(db, log).catch((error: unknown) =>
    log.error({ err: error }, 'could not check the stored templates; their pages show which ones cannot be sent'),
  );
  const stopScheduler = startReservationScheduler({
    ...common,
    transport,
    urlOf,
    leavesMachine: !usesCatcher,
    workSignal,
  });
  const limits = { allFiles: null, freeBytes, maxBytes: settings.storedBytesMax };
  metrics?.watchStorage(() => storageFigures(db, limits));
  const handlers = {
    export: exportHandler({ db, now: Date.now, limits }),
    ...importHandlers({ db, pool, now: Date.now, peopleMax: settings.peopleMax }),
  };
  const stopJobs = startJobWorker({ db, log, handlers, workSignal });
  const stopFolder = startReportFolder({ db, log });
  const stopReaders = startReaders({ settings, db, log, metrics }, mailboxes);
  const from = systemSender(settings, accountSenderOf(db));
  const relayed = transport.systemMailer({ from, log });
  const mailer = usesCatcher ? mailerByMailboxes({ db, services: mailboxes, caught: relayed, log }) : relayed;
  const stopNotices = startNoticeWorker({ ...common, mailer, urlOf });
  const passing = startLoop({
    log,
    task: 'pass on what came for accounts that have moved',
    wake: workSignal.subscribe,
    async work() {
      await passOn({
        db,
        smtp: settings.smtp,
        onPassed: (kind) => metrics?.passedOn.inc({ kind }),
        onRefused: (why) => log.warn(why, 'the new home of an account refused a passed-on arrival; retrying'),
      });
      return PASS_ON_EVERY_MS;
    },
  });
  const { mailPath } = transport;
  const checks = { ...common, mailPath, leavesMachine: !usesCatcher, urlOf, dnsServers };
  tasks.start(WORKER_TASKS, { db, receipts: started.receipts, checks });
  // The tasks stop together with the loops: a long run must not use up the time that mails need to end.
  running.push(() =>
    Promise.all([
      started.stop(),
      stopScheduler(),
      stopJobs(),
      stopFolder(),
      stopReaders(),
      stopNotices(),
      tasks.stop(),
      passing.stop(),
    ]),
  );
}

const PASS_ON_EVERY_MS = 10_000;

interface Parts {
  readonly settings: Pick<Settings, 'inbox' | 'authservId' | 'returnAddress' | 'dnsServers'>;
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly log: Logger;
  readonly metrics: Metrics | undefined;
}

/** Reads members' mailboxes, and the inbox if the settings name one. @returns a function that stops it */
function startReaders(parts: Parts, mailboxes: MailboxServices): () => Promise<void> {
  const { db, log } = parts;
  const thread = openMailThread();
  const services = { db, now: Date.now, accountDb: accountDbOf(db) };
  const stopInbox = startInbox(parts, services, thread);
  const stopMailboxes = startMailboxReader({
    services,
    thread,
    log,
    mailboxes,
    open: (place, stopping) => openMailboxSession(mailboxes.outbound, place, stopping),
  });
  return async () => {
    await Promise.all([stopInbox(), stopMailboxes()]);
    await thread.close();
  };
}

function startInbox(
  { settings, db, log, metrics }: Parts,
  services: InboxServices,
  thread: MailThread,
): () => Promise<void> {
  const { inbox, authservId, returnAddress, dnsServers } = settings;
  if (inbox === null) return async () => {};
  metrics?.watchInbox(() => inboxFigures(db, inbox.name));
  return startInboxReader({
    ...services,
    dnsServers,
    authservId,
    name: inbox.name,
    open: (stopping) => openInbox(inbox, stopping),
    returnPattern: returnAddress,
    thread,
    log,
    metrics,
  });
}
