import { smtpLane } from '../../../../platform/mail/smtp-connection.ts';
import type { SmtpSettings } from '../../../../platform/mail/smtp-settings.ts';
import { systemMailer } from '../../../../platform/mail/system-mail.ts';
import type { Transport } from '../transport.ts';
import { deliver } from './deliver.ts';
import { smtpTemplates } from './smtp-templates.ts';

/** Sends one mail at a time on each connection, and keeps connections open. */
export const smtpTransport = (settings: SmtpSettings): Transport => ({
  ...smtpTemplates,
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
  systemMailer: (parts) => systemMailer({ ...parts, smtp: settings, now: Date.now }),
});
