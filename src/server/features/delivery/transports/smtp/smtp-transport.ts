import { EXAMPLE_MAIL_KEY } from '#domain/law/refusal-place.ts';
import { domainOf } from '#domain/mail/address-key.ts';
import { refusalAddress, returnAddress } from '#domain/mail/return-address.ts';
import type { ComposedMail } from '../../../../platform/mail/compose.ts';
import type { Outcome } from '../../../../platform/mail/outcome.ts';
import { announcedSize } from '../../../../platform/mail/smtp/announced-size.ts';
import { type SmtpLane, smtpLane } from '../../../../platform/mail/smtp/connection.ts';
import { pipeliningTrust } from '../../../../platform/mail/smtp/pipelining-trust.ts';
import { SMTP_TIMES, type SmtpSettings, type SmtpTimes } from '../../../../platform/mail/smtp/settings.ts';
import { systemMailer } from '../../../../platform/mail/system-mail.ts';
import { legalError } from '../../../mail-content/legal-footer.ts';
import { composeRunMail, renderMail } from '../../../mail-content/run-mail.ts';
import type { Claim } from '../../leases/claim.ts';
import type { Lane, Mark, TakeNext, Transport, TransportTemplates } from '../transport.ts';

/** SMTP sends the stored bodies. */
export const smtpTemplates: TransportTemplates = {
  bodiesOf: ({ text_body, html_body }) => ({ text_body, html_body }),
  editorUrl: (configured) => configured ?? '',
};

/**
 * Sends one mail at a time on each connection, and keeps connections open.
 * @param returnPattern of the envelope sender (domain/return-address.ts); null: the mailbox's or sender's own address
 */
export function smtpTransport(
  settings: SmtpSettings,
  returnPattern: string | null = null,
  times: SmtpTimes = SMTP_TIMES,
): Transport {
  const trust = pipeliningTrust();
  const size = announcedSize();
  return {
    ...smtpTemplates,
    mailPath: {
      kind: 'smtp',
      host: settings.host,
      dkim: settings.dkim ?? null,
      returnDomain: returnPattern && domainOf(returnPattern),
    },
    mostMails: 1,
    mailsWith: () => 1,
    openLane: () => openLane(smtpLane(settings, times, trust, size), returnPattern),
    systemMailer: (parts) => systemMailer({ ...parts, smtp: settings, size, now: Date.now }),
    watchMaxMailBytes: size.watch,
  };
}

/** A mail, or the outcome of one that cannot be composed. */
type Composed = ComposedMail | Unsendable;

type Unsendable = Extract<Outcome, { kind: 'unsendable' }>;

function openLane(smtp: SmtpLane, returnPattern: string | null): Lane {
  /** The mail composed ahead for the next request. */
  let ahead: { readonly claim: Claim; readonly composed: Composed } | null = null;

  async function send(claim: Claim, mark: Mark, takeNext: TakeNext): Promise<Outcome> {
    const composed = ahead?.claim === claim ? ahead.composed : compose(claim, returnPattern);
    ahead = null;
    if ('kind' in composed) return composed;
    const next = () => {
      const [following] = takeNext() ?? [];
      if (!following) return null;
      const nextMail = compose(following, returnPattern);
      ahead = { claim: following, composed: nextMail };
      return 'kind' in nextMail ? null : nextMail;
    };
    return smtp.send(composed.envelope, composed.message, async () => (await mark([claim]))[0] === true, next);
  }

  return {
    send: (claims, mark, takeNext = () => null) => Promise.all(claims.map((claim) => send(claim, mark, takeNext))),
    close: () => smtp.close(),
  };
}

/**
 * Composes a mail and its envelope. A test mail goes to the test address alone, without copies.
 * @param pattern of the envelope sender; bounces return there, and its key identifies the mail
 */
function compose(claim: Claim, pattern: string | null): Composed {
  // A test mail without a run has no key of its own.
  const own = claim.mailKey === EXAMPLE_MAIL_KEY ? null : pattern;
  const message = messageOf(claim, own);
  if (!Buffer.isBuffer(message)) return message;
  const author = claim.mail.sender.email;
  const from = claim.box?.address ?? (own === null ? author : returnAddress(own, claim.mailKey));
  return { envelope: { from, author, to: claim.mailTo, bcc: claim.test ? [] : claim.mail.sender.bcc }, message };
}

/** Renders and composes a mail. @returns an outcome if it cannot be composed or may not be sent */
function messageOf(claim: Claim, pattern: string | null): Buffer | Unsendable {
  if (claim.mail.sendgrid_template_id) return { kind: 'unsendable', reply: NOT_FOR_SMTP };
  try {
    const rendered = renderMail(claim.mail, claim.target);
    const unlawful = claim.test ? null : legalError(claim.mail, rendered, claim.target);
    if (unlawful !== null) return { kind: 'unsendable', reply: unlawful, isUnlawful: true };
    return composeRunMail(claim.mail, rendered, {
      to: claim.mailTo,
      messageId: claim.messageId,
      follows: claim.target.follows?.messageId,
      namesItself: claim.box !== null && claim.box.ids !== 'kept',
      date: claim.mailDate,
      mailKey: claim.mailKey,
      refusalAddress: pattern && refusalAddress(pattern, claim.mailKey),
    });
  } catch (error) {
    const reason = (error as Error).message.slice(0, 200);
    return { kind: 'unsendable', reply: `メールを作成できませんでした（${reason}）` };
  }
}

/** The bodies of such a run only show SendGrid's values, so SMTP cannot send them. */
const NOT_FOR_SMTP = 'SendGridで送る設定のときに受け付けたため、SMTPでは送れません。もう一度、新しく送信してください。';
