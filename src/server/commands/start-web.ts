import { recordMaxMailBytes } from '../features/delivery/quota/max-mail-bytes.ts';
import type { Transport } from '../features/delivery/transports/transport.ts';
import { mailerByMailboxes } from '../features/mailbox-settings/system-mails.ts';
import { accountSenderOf } from '../features/sender-addresses/confirmed-address.queries.ts';
import type { Db } from '../platform/database/db.ts';
import type { DatabaseAccess } from '../platform/database/roles/database-access.ts';
import type { AccountHosts } from '../platform/http/hosts.ts';
import { refuseTakenPort } from '../platform/mail/catcher/mail-catcher.ts';
import { systemSender } from '../platform/mail/system-sender.ts';
import { outboundWith } from '../platform/outbound/outbound.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { openPool, type RunWithTasks, type Surroundings } from './run-until-stopped.ts';
import { WEB_TASKS } from './tasks/periodic-tasks.ts';

/** Time for open requests to end when the process stops. */
const CLOSE_MS = 30_000;

interface WebParts extends Surroundings {
  /** A pool of the role kaitaku_login. */
  readonly login: Db;
  readonly secrets: Secrets;
  readonly accountHosts: AccountHosts;
}

/** Starts the API and the web client. */
export async function startWeb(
  run: RunWithTasks,
  access: DatabaseAccess,
  transport: Transport,
  { login, secrets, accountHosts, usesCatcher = false, freeBytes = null }: WebParts,
): Promise<void> {
  // Imported here: without the HTTP server a worker starts faster, with 134 MB instead of 184.
  const { buildApp } = await import('../app.ts');
  const { host, port, publicUrl, proxies, allowedHosts, copyrightHolder, templateEditorUrl, companiesMax } =
    run.settings;
  const { dnsServers, mailHostsAllowed, peopleMax } = run.settings;
  const { db: api } = openPool(run, access, 'api');
  const from = systemSender(run.settings, accountSenderOf(api));
  const relayed = transport.systemMailer({ from, log: run.log });
  const outbound = outboundWith({ dnsServers, allowed: mailHostsAllowed });
  const services = { secrets, outbound, now: Date.now };
  const mailer = usesCatcher ? mailerByMailboxes({ db: api, services, caught: relayed, log: run.log }) : relayed;
  const app = await buildApp(
    {
      api,
      login,
      ...services,
      mailer,
      publicUrl,
      accountHosts,
      transport,
      lanes: transport,
      mailPath: transport.mailPath,
      mailerFrom: (sender) => transport.systemMailer({ from: async () => sender, log: run.log }),
      returnPattern: run.settings.returnAddress,
      leavesMachine: !usesCatcher,
      dnsServers,
      companiesMax,
      peopleMax,
      storageLimits: { allFiles: login, freeBytes, maxBytes: run.settings.storedBytesMax },
    },
    {
      logger: run.log,
      metrics: run.metrics,
      https: publicUrl.startsWith('https:'),
      proxies,
      allowedHosts,
      page: {
        'copyright-holder': copyrightHolder,
        'template-editor-url': transport.editorUrl(templateEditorUrl),
        'mail-catcher': usesCatcher ? 'yes' : '',
      },
      eventKeys: run.settings.eventKeys,
      stopping: run.stopping,
      isOutdated: run.hasFailed,
    },
  );
  run.running.push(recordMaxMailBytes({ db: api, transport, log: run.log }));
  run.tasks.start(WEB_TASKS, { login });
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    await refuseTakenPort(port, 'PORT', host);
    throw error;
  }
  run.running.push(async () => {
    const cut = setTimeout(() => app.server.closeAllConnections(), CLOSE_MS);
    await app.close();
    clearTimeout(cut);
  });
}
