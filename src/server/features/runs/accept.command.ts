import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { SendAnswer, sendMail } from '#contract/sending/runs.ts';
import { DEFAULT_RESEND_DAYS } from '#domain/limits.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { keyReused } from '../../platform/database/create-once.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockGroupOf } from '../../platform/database/lock-account.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { readSendTo } from '../attack-list/follow-up.queries.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { groupProblem } from '../rights/group-problem.ts';
import { removeRun, writeRun } from './accept.queries.ts';
import { beginOfSend, datesOverProblem } from './begins.queries.ts';
import { followUpTargets } from './order.queries.ts';
import { candidatesProblem, legalAnswer, type Mailing, prepareRun, realRunProblem } from './prepare-run.ts';

export interface SendRequest extends Mailing {
  readonly senderId: number;
  readonly body: z.output<(typeof sendMail)['body']>;
  readonly idempotencyKey: string | null;
}

/**
 * Accepts an attack list: writes a run and a delivery for each target, in one transaction.
 * Skipped targets get a delivery too. Workers send the queued deliveries later. If no target may be mailed, no run is
 * written, and the idempotency key stays unused.
 * @param now epoch milliseconds
 * @returns the answer, also for a repeated request with the same idempotency key; 400, 404 or 409
 */
export async function acceptSend(account: AccountDb, request: SendRequest, now: number): Promise<SendAnswer | Problem> {
  const { senderId, body, idempotencyKey, transport, urlOf, leavesMachine } = request;
  const { id: accountId, memberId } = account;
  const candidates = body.datetime_list ?? [];
  const requestHash = createHash('sha256')
    .update(JSON.stringify([senderId, body]))
    .digest();
  const test = body.test_send_mode === 1;
  const daysFromLastday = body.days_from_lastday ?? DEFAULT_RESEND_DAYS;
  const attackList = followUpTargets(body.attack_list, body.follow_up_of);
  const rules = { attackList, candidates, test, daysFromLastday };

  return account.transaction(async (tx) => {
    await lockGroupOf(tx, accountId, 'sender', senderId);
    const stored =
      (await groupProblem(tx, account, 'sender', senderId)) ??
      (await storedAnswer(tx, accountId, request, requestHash));
    if (stored) return stored;
    const sendTo = await readSendTo(tx, accountId, { sendTo: body.send_to, followUpOf: body.follow_up_of });
    const runRequest = { memberId, senderId, sendTo, ...rules, transport, urlOf, leavesMachine };
    const prepared = candidatesProblem(candidates, now) ?? (await prepareRun(tx, accountId, runRequest, now));
    if (prepared instanceof Problem) return prepared;
    const { sender, picked, mail, calendar } = prepared;
    const { undoSeconds, begins } = await beginOfSend(tx, accountId, { test, calendar, now });
    const problem = realRunProblem(prepared, test) ?? datesOverProblem(candidates, begins);
    if (problem) return problem;
    if (picked.targets.length === 0) return nothingToSend(picked.skipped);
    const legal = legalAnswer(prepared, test);
    const from = { idempotencyKey, requestHash, listConditions: body.list_conditions };
    const times = { candidates, begins, now, undoSeconds };
    const run = { accountId, memberId, sender, sendTo, test, daysFromLastday, mail, legal, ...times, ...from };
    const answer = await writeRun(tx, run, picked);
    if (answer?.accepted === 0) {
      await removeRun(tx, accountId, answer.send_log_id);
      return nothingToSend(answer.skipped);
    }
    // A concurrent request of another group has committed a run with the same key.
    if (!answer) return (await storedAnswer(tx, accountId, request, requestHash)) ?? notFound();
    const { acknowledged } = body;
    const detail = { send_log_id: answer.send_log_id, mails: answer.accepted, is_test: test, acknowledged };
    await recordAudit(tx, { accountId, memberId, kind: 'run_accepted', detail });
    return answer;
  });
}

const nothingToSend = (skipped: Readonly<SendAnswer['skipped']>): SendAnswer => ({
  status: 'no-added',
  send_log_id: null,
  accepted: 0,
  skipped: skipped.map(({ prospect_id, reason }) => ({ prospect_id, reason })),
});

/**
 * Reads the answer stored with the idempotency key.
 * @returns the answer; 409 if the key came with another body; null for a new key
 */
async function storedAnswer(
  tx: Tx,
  accountId: number,
  request: SendRequest,
  requestHash: Buffer,
): Promise<SendAnswer | Problem | null> {
  if (request.idempotencyKey === null) return null;
  const run = await tx
    .selectFrom('send_log')
    .select(['request_hash', 'answer'])
    .where('account_id', '=', accountId)
    .where('idempotency_key', '=', request.idempotencyKey)
    .executeTakeFirst();
  if (!run) return null;
  if (run.request_hash?.equals(requestHash)) return run.answer as SendAnswer;
  return keyReused();
}
