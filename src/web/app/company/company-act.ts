import type { CompanyDetail } from '#contract/companies/companies.ts';
import { resendCutoff } from '#domain/sending/eligibility.ts';
import { parseDateTime } from '#domain/time/tokyo-time.ts';

/**
 * What a company waits for. `mend`: its address is dead. `reply`: an open reply. `reservation`: it is reserved.
 * null: no press of this screen makes it a target, so that none of its buttons is filled.
 */
export type CompanyAct = 'send' | 'mend' | 'reply' | 'reservation' | null;

/**
 * Returns the act of the filled button of a company's screen. Sending is one only where it can be done.
 *
 * @param groupId the chosen sender group; undefined: none
 * @param days the re-send interval of the attack list
 * @param now epoch milliseconds
 */
export function companyAct(company: CompanyDetail, groupId: number | undefined, days: number, now: number): CompanyAct {
  const { archived, company_email, suppressed, maybe_refused, replied, publication_notice } = company;
  if (archived === 1) return null;
  if (suppressed !== null) return suppressed.class === 'undeliverable' ? 'mend' : null;
  if (maybe_refused !== null) return null;
  if (replied === 1) return 'reply';
  const group = company.groups.find(({ sender_group_id }) => sender_group_id === groupId);
  const act = group === undefined ? null : actInGroup(group, days, now);
  const isBarred = (company_email ?? '') === '' || publication_notice === 'refused';
  return act === 'send' && isBarred ? null : act;
}

function actInGroup(
  { status, active, sent_at }: CompanyDetail['groups'][number],
  days: number,
  now: number,
): CompanyAct {
  if (status === 'reserved') return 'reservation';
  if (status === 'undeliverable') return 'mend';
  if (active === 0 || status === 'in_progress') return null;
  const sentAt = sent_at === null ? null : parseDateTime(sent_at);
  return sentAt !== null && sentAt >= resendCutoff(now, days) ? null : 'send';
}
