import { sql } from 'kysely';
import type { getFirstSteps } from '#contract/account/first-steps.ts';
import type { CallAnswer } from '#contract/call.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import type { UrlOf } from '../../platform/http/hosts.ts';
import { isDemo } from '../audit/is-demo.queries.ts';
import { hasReadyProfile } from '../legal-profile/legal-profile.queries.ts';
import { FROM_OF_PROFILE, maySendFrom } from '../sender-addresses/may-send-from.queries.ts';
import { confirmationSentAt } from '../senders/sender.queries.ts';

interface Steps {
  readonly sender_confirmed: boolean;
  readonly legal_profile_ready: boolean;
  readonly companies_imported: boolean;
  readonly template_edited: boolean;
  readonly test_sent: boolean;
  readonly mail_sent: boolean;
}

/** The account's first sender in use: the steps confirm its address and edit its template. */
interface FirstSender {
  readonly id: number;
  readonly email: string;
  readonly template_id: number;
  /** A mailed link is pending that confirms its address. */
  readonly is_asked: boolean;
}

interface Facts {
  readonly steps: Steps;
  readonly companies: number;
  readonly sender: FirstSender | null;
}

interface Services {
  readonly urlOf: UrlOf;
  readonly now: () => number;
  /** false: mails leave by mailboxes alone; others stay in the mail catcher. */
  readonly leavesMachine: boolean;
}

/**
 * Reads which first steps an account has done. Reads none while the member has hidden the bar.
 * The facts about mails look into each run until one fits, through the unique key of delivery. The others read one row.
 */
export const readFirstSteps = (
  { id, memberId, snapshot }: MemberDb,
  services: Services,
): Promise<CallAnswer<typeof getFirstSteps>> =>
  snapshot(async (tx) => {
    const { dismissed, sample_companies, is_empty } = await readRest(tx, id, memberId);
    const { steps, companies, sender } = dismissed ? NOT_READ : await readFacts(tx, id, sample_companies, services);
    const done = {
      sender_confirmed: asFlag(steps.sender_confirmed),
      legal_profile_ready: asFlag(steps.legal_profile_ready),
      companies_imported: asFlag(steps.companies_imported),
      template_edited: asFlag(steps.template_edited),
      test_sent: asFlag(steps.test_sent),
      mail_sent: asFlag(steps.mail_sent),
    };
    return {
      dismissed: asFlag(dismissed),
      sample_companies,
      is_empty: asFlag(is_empty),
      steps: done,
      companies,
      sender: sender && { ...sender, is_asked: asFlag(sender.is_asked) },
    };
  });

const NOT_READ: Facts = {
  steps: {
    sender_confirmed: false,
    legal_profile_ready: false,
    companies_imported: false,
    template_edited: false,
    test_sent: false,
    mail_sent: false,
  },
  companies: 0,
  sender: null,
};

interface Rest {
  readonly dismissed: boolean;
  readonly sample_companies: number;
  /** No company was ever added; archived ones and samples count. */
  readonly is_empty: boolean;
}

async function readRest(tx: Tx, accountId: number, memberId: number): Promise<Rest> {
  const { rows } = await sql<Rest>`
    SELECT
      EXISTS (SELECT FROM member WHERE account_id = ${accountId} AND id = ${memberId}
        AND first_steps_dismissed_at IS NOT NULL) AS dismissed,
      (SELECT count(*)::integer FROM sample_company AS sample
        JOIN prospect ON prospect.account_id = ${accountId} AND prospect.id = sample.prospect_id
        WHERE sample.account_id = ${accountId} AND prospect.archived_at IS NULL) AS sample_companies,
      NOT EXISTS (SELECT FROM prospect WHERE account_id = ${accountId}) AS is_empty`.execute(tx);
  return onlyRow(rows);
}

async function readFacts(
  tx: Tx,
  accountId: number,
  samples: number,
  { urlOf, now, leavesMachine }: Services,
): Promise<Facts> {
  // The demo has no mailboxes: its mails stay in the catcher.
  const needsNoMailbox = leavesMachine || (await isDemo(tx, accountId));
  const { rows } = await sql<Omit<Steps, 'legal_profile_ready' | 'companies_imported'> & { companies: number }>`
    SELECT
      EXISTS (SELECT FROM sender
        JOIN sender_profile ON sender_profile.account_id = ${accountId} AND sender_profile.id = sender.profile_id
        WHERE sender.account_id = ${accountId} AND sender.active AND ${maySendFrom(FROM_OF_PROFILE)}
          AND (${needsNoMailbox} OR sender_profile.mailbox_id IS NOT NULL)) AS sender_confirmed,
      coalesce((SELECT total - ${samples} FROM prospect_total WHERE account_id = ${accountId}), 0)::integer
        AS companies,
      EXISTS (SELECT FROM mail_template WHERE account_id = ${accountId} AND member_id IS NOT NULL) AS template_edited,
      EXISTS (SELECT FROM audit_event WHERE account_id = ${accountId} AND kind = 'template_test_sent')
        OR ${hasSent(accountId, { test: true })} AS test_sent,
      ${hasSent(accountId, { test: false })} AS mail_sent`.execute(tx);
  const { companies, ...found } = onlyRow(rows);
  const legal_profile_ready = await hasReadyProfile(tx, accountId, urlOf(accountId));
  return {
    steps: { ...found, companies_imported: companies > 0, legal_profile_ready },
    companies,
    sender: await firstSender(tx, accountId, now()),
  };
}

async function firstSender(tx: Tx, accountId: number, now: number): Promise<FirstSender | null> {
  const { rows } = await sql<Omit<FirstSender, 'is_asked'> & { confirmation_sent_at: Date | null }>`
    SELECT sender.id, sender_profile.email, sender.template_id, ${confirmationSentAt(now)}
    FROM sender
    JOIN sender_profile ON sender_profile.account_id = ${accountId} AND sender_profile.id = sender.profile_id
    JOIN sender_group ON sender_group.account_id = ${accountId} AND sender_group.id = sender.sender_group_id
    LEFT JOIN confirmed_address ON confirmed_address.account_id = ${accountId}
      AND confirmed_address.address_key = lower(sender_profile.email COLLATE "C")
    WHERE sender.account_id = ${accountId} AND sender.active AND sender_group.active
    ORDER BY sender.id LIMIT 1`.execute(tx);
  const [first] = rows;
  if (first === undefined) return null;
  const { confirmation_sent_at, ...sender } = first;
  return { ...sender, is_asked: confirmation_sent_at !== null };
}

/** Whether a run of that mode has a sent mail. LIMIT keeps the planner from reading all mails instead of the runs. */
const hasSent = (accountId: number, { test }: { readonly test: boolean }) => sql`EXISTS (
  SELECT FROM send_log AS run CROSS JOIN LATERAL (
    SELECT FROM delivery
    WHERE delivery.account_id = ${accountId} AND delivery.send_log_id = run.id AND delivery.state = 'sent'
    LIMIT 1
  ) AS sent
  WHERE run.account_id = ${accountId} AND run.test_send_mode = ${test})`;
