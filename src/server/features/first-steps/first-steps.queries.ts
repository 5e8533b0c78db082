import { sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { getFirstSteps } from '#contract/first-steps.ts';
import type { MemberDb } from '../../platform/account-db.ts';
import { asFlag } from '../../platform/list-rows.ts';

interface Facts {
  readonly dismissed: boolean;
  readonly sender_confirmed: boolean;
  /** Companies of the list, with the samples. */
  readonly companies: number;
  readonly sample_companies: number;
  readonly template_edited: boolean;
  readonly test_sent: boolean;
  readonly mail_sent: boolean;
}

/** Reads what an account has done of its first steps. Each fact is one row of an index, however much there is. */
export const readFirstSteps = ({ id, memberId, snapshot }: MemberDb): Promise<CallAnswer<typeof getFirstSteps>> =>
  snapshot(async (tx) => {
    const { rows } = await sql<Facts>`
      SELECT
        EXISTS (SELECT FROM member WHERE account_id = ${id} AND id = ${memberId}
          AND first_steps_dismissed_at IS NOT NULL) AS dismissed,
        EXISTS (SELECT FROM sender
          JOIN confirmed_address AS confirmed
            ON confirmed.account_id = ${id} AND confirmed.address_key = lower(sender.email COLLATE "C")
          WHERE sender.account_id = ${id} AND sender.active) AS sender_confirmed,
        coalesce((SELECT total FROM prospect_total WHERE account_id = ${id}), 0)::integer AS companies,
        (SELECT count(*)::integer FROM sample_company AS sample
          JOIN prospect ON prospect.account_id = ${id} AND prospect.id = sample.prospect_id
          WHERE sample.account_id = ${id} AND prospect.archived_at IS NULL) AS sample_companies,
        EXISTS (SELECT FROM mail_template WHERE account_id = ${id} AND member_id IS NOT NULL) AS template_edited,
        EXISTS (SELECT FROM audit_event WHERE account_id = ${id} AND kind = 'template_test_sent')
          OR EXISTS (SELECT FROM delivery WHERE account_id = ${id} AND finished_at IS NOT NULL
            AND state <> 'cancelled' AND state = 'sent' AND test_send_mode) AS test_sent,
        EXISTS (SELECT FROM delivery WHERE account_id = ${id} AND finished_at IS NOT NULL
          AND state <> 'cancelled' AND state = 'sent' AND NOT test_send_mode) AS mail_sent`.execute(tx);
    const [facts] = rows;
    if (!facts) throw new Error('a query without a table returned no row');
    const { dismissed, companies, sample_companies, ...steps } = facts;
    const done = {
      sender_confirmed: asFlag(steps.sender_confirmed),
      companies_imported: asFlag(companies > sample_companies),
      template_edited: asFlag(steps.template_edited),
      test_sent: asFlag(steps.test_sent),
      mail_sent: asFlag(steps.mail_sent),
    };
    return { dismissed: asFlag(dismissed), sample_companies, steps: done };
  });
