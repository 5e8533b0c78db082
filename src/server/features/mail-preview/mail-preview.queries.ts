import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { FinishedMail, previewMail as previewCall } from '#contract/mail-preview.ts';
import { DEFAULT_RESEND_DAYS } from '#domain/limits.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { TransportTemplates } from '../delivery/transports/transport.ts';
import { mailWarnings } from '../mail-content/mail-warnings.ts';
import type { RunMail } from '../mail-content/run-mail.ts';
import { prepareRun, refuseCandidates, tryRender } from '../runs/prepare-run.ts';
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
  transport: TransportTemplates,
): Promise<CallAnswer<typeof previewCall> | Refusal> {
  const candidates = body.datetime_list ?? [];
  const refused = refuseCandidates(candidates, now);
  if (refused) return refused;
  const test = body.test_send_mode === 1;
  const daysFromLastday = body.days_from_lastday ?? DEFAULT_RESEND_DAYS;
  const { memberId } = account;
  const asked = { memberId, senderId, attackList: body.attack_list, candidates, test, daysFromLastday, transport };
  const run = await account.snapshot((tx) => prepareRun(tx, account.id, asked, now));
  if (run instanceof Refusal) return run;

  const { targets } = run.picked;
  const skipped = run.picked.skipped.map(({ prospect_id, reason }) => ({ prospect_id, reason }));
  const target = targets[body.pagenate_num - 1];
  const mail = target ? renderPreview(run.mail, target) : null;
  return mail instanceof Refusal ? mail : { total: targets.length, mail, skipped };
}

function renderPreview(mail: RunMail, target: Target): FinishedMail | Refusal {
  const rendered = tryRender(mail, target);
  if (rendered instanceof Refusal) return rendered;
  return {
    prospect_id: target.prospect_id,
    company_name: target.company_name,
    ...rendered,
    from: { name: mail.sender.person_in_charge, address: mail.sender.email },
    to: target.mail_to ?? '',
    warnings: mailWarnings(mail, target, rendered),
  };
}
