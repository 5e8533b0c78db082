import type { FastifyBaseLogger } from 'fastify';
import type { CallAnswer } from '#contract/call.ts';
import type { sendTemplateTest, UnsavedTemplate } from '#contract/templates/mail-templates.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { UrlOf } from '../../platform/http/hosts.ts';
import { countMail, giveBackHourly, limitKey } from '../../platform/limits/rate-limit.ts';
import type { Outcome } from '../../platform/mail/outcome.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { openBoxLane } from '../delivery/send/box-lanes.ts';
import { claimedBoxOf, sendWithoutRun } from '../delivery/send/send-without-run.ts';
import type { TransportLanes, TransportTemplates } from '../delivery/transports/transport.ts';
import type { RunMail } from '../mail-content/run-mail.ts';
import { fromKeysOf } from '../mailboxes/mailbox.queries.ts';
import type { MailboxServices } from '../mailboxes/mailbox-log-in.ts';
import { answerOfTest, unsavedFaults } from '../runs/legal-check.ts';
import { tryRender } from '../runs/prepare-run.ts';
import { loadUnsavedMail, type UnsavedMail } from './unsaved-mail.queries.ts';

/** The most test mails of a member in an hour. */
const TESTS_OF_MEMBER = 30;

/** Services of previews and test mails. */
export interface Services extends MailboxServices {
  readonly transport: TransportTemplates;
  readonly lanes: TransportLanes;
  /** The origin at which an account's members open the web client. */
  readonly urlOf: UrlOf;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
}

/**
 * Sends one mail of an unsaved template to the member's own address, by the way of its sender's mails.
 * It belongs to no run and no company. A mail that no server accepted does not count towards the limit.
 * @returns 400 with the template's faults, 404, 429 or 503
 */
export async function sendTest(
  services: Services,
  account: MemberDb,
  id: number,
  body: UnsavedTemplate,
): Promise<CallAnswer<typeof sendTemplateTest> | Problem> {
  const { now, transport, lanes, urlOf } = services;
  const settings = { now: now(), publicUrl: urlOf(account.id) };
  const unsaved = await account.snapshot((tx) => loadUnsavedMail(tx, account, id, body, settings));
  if (unsaved instanceof Problem) return unsaved;
  const made = mailboxProblem(unsaved) ?? testMailOf(unsaved, transport);
  if (made instanceof Problem) return made;
  const { mail, faults } = made;
  const limit = { key: limitKey('template tests of', account.id, account.memberId), limit: TESTS_OF_MEMBER };
  const { id: accountId, memberId } = account;
  const to = unsaved.memberEmail;
  const detail = { template_id: id, to };
  const problem = await account.transaction(async (tx) => {
    const tooMany = await countMail(tx, [limit], now(), 'テスト送信の回数が上限に達しました。');
    if (!tooMany) await recordAudit(tx, { accountId, memberId, kind: 'template_test_requested', detail });
    return tooMany;
  });
  if (problem) return problem;
  const box = claimedBoxOf(unsaved.mailbox);
  const lane = box ? openBoxLane(account, services, box, services.log) : lanes.openLane();
  const outcome = await sendWithoutRun(lane, { accountId, mail, target: unsaved.target, to, box }, now());
  await account.transaction(async (tx) => {
    if (outcome.kind === 'sent') await recordAudit(tx, { accountId, memberId, kind: 'template_test_sent', detail });
    else if (outcome.kind !== 'unknown') await giveBackHourly(tx, limit);
  });
  if (outcome.kind === 'sent') return { status: 'sent', to, ...answerOfTest(faults) };
  return notSent(outcome);
}

/** Refuses a mail whose mailbox cannot send, or may not use its From. It never leaves by another way. */
function mailboxProblem({ mailbox, mail }: UnsavedMail): Problem | null {
  if (!mailbox) return null;
  const message =
    mailbox.state === 'ok'
      ? `メールボックス（${mailbox.address}）からは、この差出人（${mail.sender.email}）で送れません。`
      : `メールボックス（${mailbox.address}）がつながっていません。設定のメールボックスでつないでください。`;
  const mayUse = fromKeysOf(mailbox).includes(addressKey(mail.sender.email));
  return mailbox.state === 'ok' && mayUse ? null : new Problem('mail_not_sent', message);
}

/** Returns the mail with a marked subject and its legal faults, or why it cannot be sent. */
function testMailOf(unsaved: UnsavedMail, transport: TransportTemplates) {
  const { text_body, html_body } = unsaved.mail;
  const stored = { text_body, html_body, sendgrid_template_id: unsaved.sendgrid_template_id };
  const bodies = transport.bodiesOf(stored, unsaved.ownKeys);
  if (bodies instanceof Problem) return bodies;
  const real: RunMail = { ...unsaved.mail, ...bodies };
  const mail: RunMail = { ...real, subject: `【テスト】${real.subject}` };
  const rendered = tryRender(mail, unsaved.target);
  if (rendered instanceof Problem) return rendered;
  return { mail, faults: unsavedFaults(real, rendered, unsaved.legalState, unsaved.isFooterConfirmed) };
}

function notSent(outcome: Outcome): Problem {
  if (outcome.kind === 'unknown') {
    const message = 'テスト送信の結果を確認できませんでした。届いていないか、受信箱を確かめてください。';
    return new Problem('mail_not_sent', message, 60);
  }
  const reply = 'reply' in outcome ? `（${outcome.reply.slice(0, 200)}）` : '';
  const message = `テスト送信できませんでした${reply}。差出人と自分のメールアドレスを確かめて、しばらくしてからもう一度お試しください。`;
  return new Problem('mail_not_sent', message, 60);
}
