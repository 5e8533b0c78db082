import { smtpTemplates } from './smtp/smtp-transport.ts';
import type { Transport } from './transport.ts';

/** No server is contacted, so the attempt does not count, and the mail waits. */
const ABSENT = { kind: 'transport', reply: 'no mail server is set, and the sender has no mailbox' } as const;

/**
 * The transport of an installation without a mail server: mails leave by members' mailboxes alone.
 * Runs of a sender without a mailbox are refused. Mails that were accepted while there was a server wait.
 */
export const NO_MAIL_SERVER: Transport = {
  ...smtpTemplates,
  isAbsent: true,
  mailPath: { kind: 'smtp', host: '', dkim: null, returnDomain: null },
  mostMails: 1,
  mailsWith: () => 1,
  openLane: () => ({ send: async (claims) => claims.map(() => ABSENT), close() {} }),
  systemMailer:
    ({ log }) =>
    async ({ to }) => {
      log.warn({ to, outcome: ABSENT }, 'system mail not sent');
      return ABSENT;
    },
  watchMaxMailBytes() {},
};
