import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { sendMail } from '#contract/sending.ts';
import { CANDIDATE_FAULT_TEXTS, candidateFaults, renderCandidates } from '#domain/candidate-dates.ts';
import { RESEND_DAYS_WITHOUT_CLIENT_SETTING } from '#domain/limits.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { writeRun } from './accept.queries.ts';
import { type MailTarget, type RunMail, renderMail, TemplateFault } from './run-mail.ts';
import { type LoadedSender, loadSender } from './sender.queries.ts';
import { pickTargets } from './targets.queries.ts';

export type SendAnswer = CallAnswer<typeof sendMail>;

export interface SendRequest {
  readonly senderId: number;
  readonly body: z.output<(typeof sendMail)['body']>;
  readonly idempotencyKey: string | null;
}

/**
 * Accepts an attack list: one transaction writes the send log and a delivery for each target, skipped ones too. Nothing is sent
 * here; a worker claims the rows. `now`: epoch milliseconds.
 */
export async function acceptSend(account: AccountDb, request: SendRequest, now: number): Promise<SendAnswer | Refusal> {
  const { senderId, body, idempotencyKey } = request;
  const accountId = account.id;
  const candidates = body.datetime_list ?? [];
  const fault = candidateFaults(candidates, now).find((found) => found !== null);
  if (fault) return new Refusal(400, 'invalid_candidate_date', `${CANDIDATE_FAULT_TEXTS[fault]}。`);
  const requestHash = createHash('sha256')
    .update(JSON.stringify([senderId, body]))
    .digest();

  return account.transaction(async (tx) => {
    const earlier = await firstAnswer(tx, accountId, request, requestHash);
    if (earlier) return earlier;
    const sender = await loadSender(tx, accountId, senderId);
    if (!sender) return notFound();
    const test = body.test_send_mode === 1;
    const daysFromLastday = body.days_from_lastday ?? RESEND_DAYS_WITHOUT_CLIENT_SETTING;
    const senderGroupId = sender.sender_group_id;
    const picked = await pickTargets(tx, body.attack_list, { accountId, senderGroupId, daysFromLastday, test, now });
    if (picked instanceof Refusal) return picked;
    const mail = runMail(sender, candidates);
    const faulty = templateFault(mail, picked.targets);
    if (faulty) return faulty;
    const run = { accountId, sender, test, daysFromLastday, mail, idempotencyKey, requestHash, now };
    const answer = await writeRun(tx, run, picked);
    // null: a request with the same key ran beside this one, and has committed by now.
    return answer ?? (await firstAnswer(tx, accountId, request, requestHash)) ?? notFound();
  });
}

/** What the idempotency key was answered the first time, a refusal when it came with another body, null when it is new. */
async function firstAnswer(
  tx: Tx,
  accountId: number,
  request: SendRequest,
  requestHash: Buffer,
): Promise<SendAnswer | Refusal | null> {
  if (request.idempotencyKey === null) return null;
  const first = await tx
    .selectFrom('send_log')
    .select(['request_hash', 'answer'])
    .where('account_id', '=', accountId)
    .where('idempotency_key', '=', request.idempotencyKey)
    .executeTakeFirst();
  if (!first) return null;
  if (first.request_hash?.equals(requestHash)) return first.answer as SendAnswer;
  return new Refusal(409, 'idempotency_key_reused', '同じ操作が別の内容で送られました。画面を読み込み直してください。');
}

function runMail(sender: LoadedSender, candidates: NonNullable<SendRequest['body']['datetime_list']>): RunMail {
  const { subject, text_body, html_body, person_in_charge, email } = sender;
  const bcc = (sender.bcc ?? '').split(',').flatMap((address) => address.trim() || []);
  return {
    subject,
    text_body,
    html_body,
    sender: { person_in_charge, email, bcc },
    account: { name: sender.account_name, company: sender.account_company },
    candidate_dates: candidates.length === 0 ? [] : renderCandidates(candidates).split('\n'),
  };
}

/** Every mail of the run is rendered once before any is promised: a template fault is told now, not by a failed mail. */
function templateFault(mail: RunMail, targets: readonly MailTarget[]): Refusal | null {
  try {
    for (const target of targets) renderMail(mail, target);
    return null;
  } catch (error) {
    if (error instanceof TemplateFault) return new Refusal(400, 'invalid_template', error.message);
    throw error;
  }
}
