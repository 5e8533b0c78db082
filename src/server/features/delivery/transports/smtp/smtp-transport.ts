import { smtpLane } from '../../../../platform/mail/smtp-connection.ts';
import type { SmtpSettings } from '../../../../platform/mail/smtp-settings.ts';
import type { Transport } from '../transport.ts';
import { deliver } from './deliver.ts';

/** A mail a time, on connections that are kept. */
export const smtpTransport = (settings: SmtpSettings): Transport => ({
  name: 'smtp',
  mostMails: 1,
  mailsWith: () => 1,
  openLane() {
    const lane = smtpLane(settings);
    return {
      send: (claims, mark) =>
        Promise.all(claims.map((claim) => deliver(claim, lane, async () => (await mark([claim]))[0] === true))),
      close: () => lane.close(),
    };
  },
});
