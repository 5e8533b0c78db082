import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { MailCheckWarning } from '#contract/sending/mail-preview.ts';
import type { LegalFault } from '#domain/law/profile.ts';
import type { Check } from '#web/components/field/check-list.tsx';
import type { AnswerOf } from '#web/lib/api/call.ts';
import type { MailOrder } from '#web/lib/data/mail-order.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { checkedMails } from './preview-mail.ts';
import { blankOwnText, isBlankOwn, type Labels, useLabels, warningText } from './warning-text.ts';
import { MAIL_PREVIEW_MESSAGES } from './words.ts';

const { checks: messages } = MAIL_PREVIEW_MESSAGES;

/** The warnings of all mails of an order. */
interface MailChecks {
  readonly checks: readonly Check[];
  /** Errors in what the law requires mails to show; null: unknown. */
  readonly legalFaults: readonly LegalFault[] | null;
}

const warning = (text: string): Check => ({ kind: 'warning', text });

/** The number of companies that a warning names. */
const NAMED = 3;

/** The longest wait: the server checks for three seconds (MAX_CHECK_SECONDS); its answer may take one more. */
const WAIT_MS = 4000;

/**
 * Checks all mails of an order. Undefined until the answer, for WAIT_MS at most.
 *
 * @param order null: no request, no checks
 * @param needsSource companies may be mailed because they publish their addresses
 */
export function useMailChecks(order: MailOrder | null, needsSource = false): MailChecks | undefined {
  const requested = order ?? { senderId: 0, targets: [], days: 0, testTo: null, candidateDates: null };
  const { data, error } = useQuery({ ...checkedMails(requested), enabled: order !== null });
  const isLate = useLate(order);
  const labels = useLabels(data?.warnings ?? []);
  if (order === null) return undefined;
  if (error !== null) return { checks: [warning(messages.failed(error.message))], legalFaults: null };
  if (data === undefined) return isLate ? { checks: [warning(messages.late)], legalFaults: null } : undefined;
  const { skipped, without_source, without_met_on = 0, legal_faults } = data;
  return {
    checks: [
      ...(skipped.length === 0 ? [] : [warning(MAIL_PREVIEW_MESSAGES.skipped(skipped.length))]),
      ...checksOf(data, order, labels),
      ...(order.testTo === null ? unprovedNotes(needsSource ? without_source : 0, without_met_on) : []),
    ],
    legalFaults: legal_faults,
  };
}

/** Tells of companies and persons without a record of why they may be mailed. */
const unprovedNotes = (withoutSource: number, withoutMetOn: number): readonly Check[] => [
  ...(withoutSource > 0 ? [{ kind: 'note', text: messages.withoutSource(withoutSource) } as const] : []),
  ...(withoutMetOn > 0 ? [{ kind: 'note', text: messages.withoutMetOn(withoutMetOn) } as const] : []),
];

/** Whether WAIT_MS have passed for an order. */
function useLate(order: MailOrder | null): boolean {
  const [late, setLate] = useState<MailOrder | null>(null);
  useEffect(() => {
    if (order === null) return undefined;
    const timer = setTimeout(() => setLate(order), WAIT_MS);
    return () => clearTimeout(timer);
  }, [order]);
  return order !== null && late === order;
}

type Answer = Pick<AnswerOf<'checkMails'>, 'total' | 'checked' | 'warnings'>;

function checksOf({ total, checked, warnings }: Answer, { targets }: MailOrder, labels: Labels): readonly Check[] {
  if (total === 0) return [warning(MAIL_PREVIEW_MESSAGES.none)];
  const names = new Map(targets.map(({ prospect_id, company_name }) => [prospect_id, company_name]));
  const isFine = checked === total && warnings.every(isBlankPerson);
  return [
    ...(isFine ? [{ kind: 'fine', text: messages.fine(checked) } as const] : []),
    ...(checked < total ? [warning(messages.partly(checked, total))] : []),
    ...warnings.map((point) => ({
      ...warning(pointText(point, { checked, names, labels })),
      prospectIds: point.prospect_ids,
    })),
  ];
}

/** Whether a salutation has no name: correct, but worth a look. */
const isBlankPerson = ({ kind, text }: Pick<MailCheckWarning, 'kind' | 'text'>): boolean =>
  kind === 'blank_field' && text === 'person_in_charge';

interface Known {
  /** The number of checked mails. */
  readonly checked: number;
  /** The names of the companies, by their ids. */
  readonly names: ReadonlyMap<number, string>;
  readonly labels: Labels;
}

/** Says what the warning is, and which mails have it. */
function pointText({ count, prospect_ids, ...point }: MailCheckWarning, { checked, names, labels }: Known): string {
  if (isBlankPerson(point)) return messages.noPerson(count);
  if (isBlankOwn(point)) return blankOwnText({ ...point, count }, labels);
  if (count === checked) return messages.ofAll(warningText(point, labels), count);
  const named = prospect_ids.slice(0, NAMED).flatMap((id) => names.get(id) ?? []);
  const list = named.join(LIST_SEPARATOR);
  const others = count - named.length;
  return messages.ofSome(warningText(point, labels), count, others === 0 ? list : messages.andOthers(list, others));
}
