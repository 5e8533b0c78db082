import type { AttackListItem } from '#contract/companies/attack-list.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';

/** The mails of an attack list, for preview, check, send and reservation. */
export interface MailOrder {
  readonly senderId: number;
  readonly targets: readonly AttackListItem[];
  readonly days: number;
  /** The address as typed; null: not a test. */
  readonly testTo: string | null;
  /** The run to follow up; undefined: first mails. */
  readonly followUpOf?: number | undefined;
  /** Where the mails go; undefined: the server's default, which is the choice of the followed run for follow-ups. */
  readonly sendTo?: SendTo | undefined;
  /** null: the mail offers no dates. */
  readonly candidateDates: readonly CandidateDate[] | null;
}

/** Returns the part of the body that all calls about an order share. */
export const bodyOfOrder = ({ testTo, targets, candidateDates, days, followUpOf, sendTo }: MailOrder) => ({
  test_send_mode: testTo === null ? (0 as const) : (1 as const),
  attack_list: targets.map(({ prospect_id, company_email }) => ({ prospect_id, company_email })),
  datetime_list: candidateDates,
  days_from_lastday: days,
  ...(followUpOf !== undefined && { follow_up_of: followUpOf }),
  ...(sendTo !== undefined && { send_to: sendTo }),
});
