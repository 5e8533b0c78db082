import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { checkLegal } from '#contract/legal-profile.ts';
import type { FinishedMail, previewMail as previewCall } from '#contract/mail-preview.ts';
import { DEFAULT_RESEND_DAYS } from '#domain/limits.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { Tx } from '../../platform/db.ts';
import { Refusal } from '../../platform/refusal.ts';
import { readMaxMailBytes } from '../delivery/max-mail-bytes.ts';
import { sizeWarnings } from '../mail-content/compose-run-mail.ts';
import { readFollowedMails } from '../mail-content/followed-mails.queries.ts';
import { mailWarnings } from '../mail-content/mail-warnings.ts';
import type { MailTarget, RunMail } from '../mail-content/run-mail.ts';
import { followUpTargets } from '../runs/follow-up-targets.ts';
import {
  legalFaults,
  legalFaultsOfOrder,
  type Mailing,
  type PreparedRun,
  prepareRun,
  refuseCandidates,
  tryRender,
} from '../runs/prepare-run.ts';
import type { Target } from '../runs/targets.queries.ts';

/**
 * Renders one mail of a list with the code that sends, and sends nothing.
 * It renders the asked page alone: a mail takes about a millisecond, and a list has up to 1,000.
 * @param now epoch milliseconds
 * @returns the mail (null: the list has no target at this page), the number of targets and the skipped prospects; or
 * why a send of the list would be refused
 */
export async function previewMail(
  account: AccountDb,
  senderId: number,
  body: z.output<(typeof previewCall)['body']>,
  now: number,
  mailing: Mailing,
): Promise<CallAnswer<typeof previewCall> | Refusal> {
  const candidates = body.datetime_list ?? [];
  const refused = refuseCandidates(candidates, now);
  if (refused) return refused;
  const test = body.test_send_mode === 1;
  const daysFromLastday = body.days_from_lastday ?? DEFAULT_RESEND_DAYS;
  const { memberId } = account;
  const attackList = followUpTargets(body.attack_list, body.follow_up_of);
  const asked = { memberId, senderId, attackList, candidates, test, daysFromLastday, ...mailing };
  const read = await account.snapshot(async (tx) => {
    const run = await prepareRun(tx, account.id, asked, now);
    if (run instanceof Refusal) return run;
    const target = run.picked.targets[body.pagenate_num - 1];
    const followed = await readFollowedMails(
      tx,
      account.id,
      target?.follows_id === undefined ? [] : [target.follows_id],
    );
    const shown = target && { ...target, follows: followed.get(target.follows_id ?? 0) };
    const maxBytes = await readMaxMailBytes(tx);
    return { run, shown, maxBytes, without_source: await countWithoutSource(tx, account.id, run) };
  });
  if (read instanceof Refusal) return read;

  const { run, shown, maxBytes, without_source } = read;
  const { targets } = run.picked;
  const skipped = run.picked.skipped.map(({ prospect_id, reason }) => ({ prospect_id, reason }));
  const mail = shown ? renderPreview(run.mail, shown, maxBytes) : null;
  if (mail instanceof Refusal) return mail;
  const legal_faults = legalFaultsOfOrder(run, test);
  if (legal_faults instanceof Refusal) return legal_faults;
  return { total: targets.length, mail, skipped, legal_faults, without_source };
}

/** Counts the targets of which nobody noted where their address is published, if that is why they may be mailed. */
async function countWithoutSource(tx: Tx, accountId: number, { legalState, picked }: PreparedRun): Promise<number> {
  if (legalState.legal.basis !== 'published') return 0;
  const ids = picked.targets.map(({ prospect_id }) => prospect_id);
  const { count } = await tx
    .selectFrom('prospect')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where(sql<boolean>`coalesce(published_at_url, '') = ''`)
    .executeTakeFirstOrThrow();
  return count;
}

/** Checks a sender's mails as a real send does, without an attack list. @returns 400 or 404 as a send */
export async function checkSender(
  account: AccountDb,
  senderId: number,
  now: number,
  mailing: Mailing,
): Promise<CallAnswer<typeof checkLegal> | Refusal> {
  const { memberId } = account;
  const asked = { memberId, senderId, attackList: [], candidates: [], test: false, daysFromLastday: 0, ...mailing };
  const run = await account.snapshot((tx) => prepareRun(tx, account.id, asked, now));
  if (run instanceof Refusal) return run;
  const faults = legalFaults(run);
  if (faults instanceof Refusal) return faults;
  return { ready: asFlag(faults.every(({ level }) => level === 'warning')), faults };
}

function renderPreview(mail: RunMail, target: Target & MailTarget, maxBytes: number | null): FinishedMail | Refusal {
  const rendered = tryRender(mail, target);
  if (rendered instanceof Refusal) return rendered;
  const to = target.mail_to ?? '';
  return {
    prospect_id: target.prospect_id,
    company_name: target.company_name,
    ...rendered,
    from: { name: mail.sender.person_in_charge, address: mail.sender.email },
    to,
    warnings: [...mailWarnings(mail, target, rendered), ...sizeWarnings(mail, rendered, to, maxBytes)],
  };
}
