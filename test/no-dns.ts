import type { Services } from '#server/app.ts';
import { RETURN_PATTERN } from './inbox-mails.ts';

export type DomainParts = Pick<Services, 'mailPath' | 'mailerFrom' | 'returnPattern' | 'leavesMachine' | 'dnsServers'>;

/** The default for tests: SMTP without a DKIM key, and a DNS that never answers. */
export const NO_DNS: DomainParts = {
  mailPath: { kind: 'smtp', host: '127.0.0.1', dkim: null, returnDomain: null },
  // Test mails of domains count as sent.
  mailerFrom: () => async () => ({ kind: 'sent', reply: '250 OK' }),
  returnPattern: RETURN_PATTERN,
  leavesMachine: true,
  // Nothing listens on port 1, so the connection is refused at once.
  dnsServers: ['127.0.0.1:1'],
};
