import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import { type AccountDb, accountDbOf } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import { type Mailer, type SystemMail, type SystemOutcome, systemMailer } from '../../platform/mail/system-mail.ts';
import { PRODUCT_NAME } from '../../platform/product-name.ts';
import { type Mailbox, readMailbox } from '../mailboxes/mailbox.queries.ts';
import { type MailboxServices, mailboxLogIn, smtpOf } from '../mailboxes/mailbox-log-in.ts';

interface Parts {
  /** A pool of the role kaitaku_api or kaitaku_service. */
  readonly db: Db;
  readonly services: MailboxServices;
  /** Sends to the mail catcher. */
  readonly caught: Mailer;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/**
 * Returns the mailer of a program whose mails a catcher keeps: mails of an account leave by its first usable shared
 * mailbox, else by that of an admin. Without one they are caught. A mailbox that is paused or fails sends none, and the
 * mail does not go elsewhere. A mailbox of its own never sends a colleague's mails.
 */
export const mailerByMailboxes =
  ({ db, services, caught, log }: Parts): Mailer =>
  async (mail) => {
    const notSent = (outcome: SystemOutcome): SystemOutcome => {
      log.warn({ to: mail.to, outcome }, 'system mail not sent');
      return outcome;
    };
    try {
      const accountId = accountOf(mail);
      const account = accountId === null ? null : accountDbOf(db)(accountId, null);
      const box = account && (await readSystemMailbox(account));
      if (account === null || box === null) {
        const outcome = await caught(mail);
        return outcome.kind === 'sent' ? { ...outcome, isCaught: true } : outcome;
      }
      if (box.isPaused) return notSent(transport(box.mailbox, 'it is paused'));
      const credentials = await mailboxLogIn(services, account, box.mailbox);
      if (typeof credentials === 'string') return notSent(transport(box.mailbox, `no log-in: ${credentials}`));
      const from = async () => ({ name: PRODUCT_NAME, address: box.mailbox.address });
      const { outbound, now } = services;
      return await systemMailer({ smtp: smtpOf(box.mailbox, credentials, outbound), from, now, log })(mail);
    } catch (error) {
      log.warn({ err: error, to: mail.to }, 'could not read the mailbox of a system mail; it is not sent');
      return { kind: 'unmarked', reply: (error as Error).message };
    }
  };

const transport = ({ id }: Mailbox, why: string): SystemOutcome => ({
  kind: 'transport',
  reply: `the mailbox ${id} sends no mail now: ${why}`,
});

/** Returns the account of a mail; null: that of a visitor. */
const accountOf = ({ accountId, reader }: SystemMail): number | null =>
  accountId ?? (typeof reader === 'object' ? reader.memberOf : null);

/** Reads the mailbox by which the account's system mails leave; null: none. */
const readSystemMailbox = (account: AccountDb) =>
  account.snapshot(async (tx) => {
    const { rows } = await sql<{ id: number; isPaused: boolean }>`
      SELECT mailbox.id, coalesce(state.paused_until > now(), false) AS "isPaused"
      FROM mailbox
      JOIN mailbox_state AS state ON state.account_id = mailbox.account_id AND state.mailbox_id = mailbox.id
      LEFT JOIN member ON member.account_id = mailbox.account_id AND member.id = mailbox.owner_id
      WHERE mailbox.account_id = ${account.id} AND mailbox.state = 'ok'
        AND (mailbox.owner_id IS NULL OR (member.role = 'admin' AND member.active))
      ORDER BY mailbox.owner_id IS NOT NULL, mailbox.id LIMIT 1`.execute(tx);
    const [first] = rows;
    const mailbox = first && (await readMailbox(tx, { accountId: account.id, id: first.id }));
    return mailbox ? { mailbox, isPaused: first.isPaused } : null;
  });
