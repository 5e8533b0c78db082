import type { FastifyBaseLogger } from 'fastify';
import { Problem } from '../../platform/problem.ts';
import { type Mailbox, openMailbox } from '../mailboxes/mailbox.queries.ts';
import type { MailboxServices } from '../mailboxes/mailbox-log-in.ts';
import { revokeConsent } from '../mailboxes/oauth-provider.ts';

/** A disconnected mailbox with the secret that it had. */
export type Ended = Pick<Mailbox, 'account_id' | 'id' | 'kind' | 'secret' | 'secret_key'>;

export type EndServices = Pick<MailboxServices, 'secrets' | 'outbound'> & {
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
};

/**
 * Ends the consents of mailboxes at their providers, after the commit that has deleted their tokens here. Never
 * rejects: without an answer the consent lives on at the provider, where its owner can end it.
 */
export async function endConsents({ secrets, outbound, log }: EndServices, ended: readonly Ended[]): Promise<void> {
  for (const box of ended) {
    if (box.kind === 'smtp') continue;
    try {
      const secret = openMailbox(secrets, box);
      if (secret === null || secret instanceof Problem || !('refreshToken' in secret)) continue;
      await revokeConsent(outbound, box.kind, secret.refreshToken);
    } catch (error) {
      const which = { account_id: box.account_id, mailbox_id: box.id };
      log.warn({ err: error, ...which }, 'could not end the consent of a disconnected mailbox; its owner can');
    }
  }
}
