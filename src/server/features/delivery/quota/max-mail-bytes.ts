import type { FastifyBaseLogger } from 'fastify';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/db.ts';
import type { MailboxKey } from '../../mailboxes/mailbox.queries.ts';
import type { Transport } from '../transports/transport.ts';

/** The name of the only row of `transport`. */
const TRANSPORT = 'smtp';

interface Parts {
  readonly db: Db;
  readonly transport: Pick<Transport, 'mailPath' | 'watchMaxMailBytes'>;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/**
 * Stores the largest mail size that the server announces, whenever the number changes.
 * The number of another server is replaced at once.
 * @returns a function that waits for the last write
 */
export function recordMaxMailBytes({ db, transport, log }: Parts): () => Promise<void> {
  const { mailPath } = transport;
  const server = mailPath.kind === 'smtp' ? mailPath.host : mailPath.name;
  let written = write(null, sql<boolean>`max_mail_bytes_of IS DISTINCT FROM ${server}`);
  transport.watchMaxMailBytes((bytes) => {
    const isNew = sql<boolean>`(max_mail_bytes, max_mail_bytes_of)
      IS DISTINCT FROM (${bytes}::bigint, ${server}::text)`;
    written = written.then(() => write(bytes, isNew));
  });
  return () => written;

  async function write(bytes: number | null, isNew: RawBuilder<boolean>) {
    await db
      .updateTable('transport')
      .set({ max_mail_bytes: bytes, max_mail_bytes_of: server })
      .where('name', '=', TRANSPORT)
      .where(isNew)
      .execute()
      .catch((error: unknown) =>
        log.warn(
          { err: error, bytes },
          'could not store the size limit of the mail server; warnings of large mails may lack',
        ),
      );
  }
}

/**
 * Reads the largest mail in bytes that a mail server accepts.
 * @param box by which the mails leave: its check has recorded the number; null: the mail server of the environment
 * @returns null where none is known
 */
export async function readMaxMailBytes(tx: Tx, box: MailboxKey | null): Promise<number | null> {
  const of =
    box === null
      ? tx.selectFrom('transport').select('max_mail_bytes').where('name', '=', TRANSPORT)
      : tx
          .selectFrom('mailbox_state')
          .select('max_mail_bytes')
          .where('account_id', '=', box.accountId)
          .where('mailbox_id', '=', box.id);
  const { max_mail_bytes } = await of.executeTakeFirstOrThrow();
  return max_mail_bytes || null;
}
