import { MAX_TARGETS } from '#domain/limits.ts';
import { sendGridTemplates } from '#server/features/delivery/transports/sendgrid/sendgrid-transport.ts';
import { smtpTemplates } from '#server/features/delivery/transports/smtp/smtp-transport.ts';
import type { TransportTemplates } from '#server/features/delivery/transports/transport.ts';
import { acceptSend } from '#server/features/runs/accept.command.ts';
import type { AccountDb } from '#server/platform/database/account-db.ts';
import type { Db } from '#server/platform/database/db.ts';
import { Problem } from '#server/platform/problem.ts';
import { mailingBy } from './mailing.ts';
import { switchOffNoticeMails } from './notices.ts';
import { addManyProspects, addTenant, addTextOf, type Tenant } from './prospects.ts';

interface Pools {
  /** The owner's connection. */
  readonly db: Db;
  readonly account: (accountId: number, memberId: number) => AccountDb;
}

/** An id in the form of SendGrid's dynamic templates. */
export const TEMPLATE_ID = `d-${'0123456789abcdef'.repeat(2)}`;

/** Sets that id, with a confirmed footer, on all templates, and this bcc on all senders. */
export async function giveSendGridTemplates(db: Db, bcc: string | null = null): Promise<void> {
  await db
    .updateTable('mail_template')
    .set({ sendgrid_template_id: TEMPLATE_ID, sendgrid_footer_confirmed_at: new Date(0) })
    .execute();
  await db.updateTable('sender_profile').set({ bcc }).execute();
}

/** The content of a tenant's templates. */
export interface Template {
  readonly subject: string;
  readonly text_body: string;
  readonly html_body: string;
}

interface Options {
  /** Absent: the content of test/prospects.ts. */
  readonly template?: Template;
  readonly transport?: TransportTemplates;
  /** With SendGrid: the bcc of all senders. */
  readonly bcc?: string | null;
  /** The number of texts of one profile that send them, two runs each. Default: one, in the fewest runs. */
  readonly texts?: number;
}

/** Accepts this many mails of a new tenant, in runs of at most 1,000. They wait for a worker. */
export async function acceptMails(
  { db, account }: Pools,
  mails: number,
  { template, transport = smtpTemplates, bcc = null, texts = 1 }: Options = {},
): Promise<Tenant> {
  const tenant = await addTenant(db);
  const senders = [tenant.senderId];
  while (senders.length < texts) senders.push((await addTextOf(db, tenant)).senderId);
  if (template) {
    await db.updateTable('mail_template').set(template).where('account_id', '=', tenant.accountId).execute();
  }
  await switchOffNoticeMails(db, tenant);
  if (transport === sendGridTemplates) await giveSendGridTemplates(db, bcc);
  await addManyProspects(db, tenant.accountId, mails);
  const rows = await db
    .selectFrom('prospect')
    .select('id as prospect_id')
    .where('account_id', '=', tenant.accountId)
    .orderBy('id')
    .execute();
  const most = texts === 1 ? MAX_TARGETS : Math.min(MAX_TARGETS, Math.ceil(mails / (2 * texts)));
  for (let from = 0; from < mails; from += most) {
    const attack_list = rows.slice(from, from + most);
    const body = { test_send_mode: 0 as const, attack_list, days_from_lastday: 7 };
    const senderId = senders[(from / most) % texts] ?? tenant.senderId;
    const request = { senderId, body, idempotencyKey: null, ...mailingBy(transport) };
    const answer = await acceptSend(account(tenant.accountId, tenant.memberId), request, Date.now());
    if (answer instanceof Problem || answer.accepted !== attack_list.length) throw new Error(JSON.stringify(answer));
  }
  return tenant;
}
