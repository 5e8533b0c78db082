import { useQuery } from '@tanstack/react-query';
import type { MailCheckWarning } from '#contract/mail-preview.ts';
import type { LegalFault } from '#domain/law/profile.ts';
import type { Check } from '#web/components/check-list.tsx';
import type { AnswerOf } from '#web/lib/call.ts';
import type { MailOrder } from '#web/lib/mail-order.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { checkedMails } from './preview-mail.ts';
import { warningText } from './warning-text.ts';
import { MAIL_PREVIEW_MESSAGES } from './words.ts';

const { checks: messages } = MAIL_PREVIEW_MESSAGES;

/** What is checked before an order is sent. */
export interface MailChecks {
  /** Of all its mails. */
  readonly checks: readonly Check[];
  /** Those of them that a test meets as well. */
  readonly testChecks: readonly Check[];
  /** Of what the law asks the mails to show. */
  readonly legalFaults: readonly LegalFault[];
}

const warning = (text: string): Check => ({ kind: 'warning', text });

/** So many companies of a point are named. */
const NAMED = 3;

/**
 * Checks all mails of an order; undefined while they are checked.
 *
 * @param order null: no request, no checks
 */
export function useMailChecks(order: MailOrder | null): MailChecks | undefined {
  const requested = order ?? { senderId: 0, targets: [], days: 0, testTo: null, candidateDates: null };
  const { data, error } = useQuery({ ...checkedMails(requested), enabled: order !== null });
  if (order === null) return undefined;
  if (error !== null) {
    return { checks: [warning(messages.failed(error.message))], testChecks: [], legalFaults: [] };
  }
  if (data === undefined) return undefined;
  const { skipped, without_source, legal_faults } = data;
  return {
    checks: [
      ...(skipped.length === 0 ? [] : [warning(MAIL_PREVIEW_MESSAGES.skipped(skipped.length))]),
      ...checksOf(data, order),
      ...(without_source === 0 ? [] : [warning(messages.withoutSource(without_source))]),
    ],
    testChecks: data.warnings.filter(({ kind }) => kind === 'too_large').map((point) => warning(warningText(point))),
    legalFaults: legal_faults,
  };
}

type Answer = Pick<AnswerOf<'checkMails'>, 'total' | 'checked' | 'warnings'>;

/** Leaves out blank names, which are counted over all targets. */
function checksOf({ total, checked, warnings }: Answer, { targets }: MailOrder): readonly Check[] {
  if (total === 0) return [warning(MAIL_PREVIEW_MESSAGES.none)];
  const names = new Map(targets.map(({ prospect_id, company_name }) => [prospect_id, company_name]));
  const points = warnings.filter(({ text }) => text !== 'person_in_charge');
  const unchecked = checked < total ? [warning(messages.partly(checked, total))] : [];
  if (points.length === 0) return [{ kind: 'fine', text: messages.fine(checked) }, ...unchecked];
  return [...points.map((point) => warning(pointText(point, checked, names))), ...unchecked];
}

/** Says what is wrong, and with which mails. */
function pointText(
  { count, prospect_ids, ...point }: MailCheckWarning,
  checked: number,
  names: ReadonlyMap<number, string>,
): string {
  if (count === checked) return messages.ofAll(warningText(point), count);
  const named = prospect_ids.slice(0, NAMED).flatMap((id) => names.get(id) ?? []);
  const list = named.join(LIST_SEPARATOR);
  const others = count - named.length;
  return messages.ofSome(warningText(point), count, others === 0 ? list : messages.andOthers(list, others));
}
