import { useQuery } from '@tanstack/react-query';
import type { FinishedMail, MailWarning } from '#contract/mail-preview.ts';
import type { LegalFault } from '#domain/legal-profile.ts';
import type { Check } from '#web/components/check-list.tsx';
import { finishedMail, type MailPreviewOrder } from './preview-mail.ts';
import { warningText } from './warning-text.ts';
import { MAIL_PREVIEW_MESSAGES } from './words.ts';

const { checks: messages } = MAIL_PREVIEW_MESSAGES;

/** What is checked before an order is sent. */
export interface MailChecks {
  /** Of the first mail. */
  readonly checks: readonly Check[];
  /** Those of them that a test meets as well. */
  readonly testChecks: readonly Check[];
  /** Of what the law asks the mails to show. */
  readonly legalFaults: readonly LegalFault[];
}

/**
 * Checks an order by its first mail; undefined while it loads.
 *
 * @param order null: no request, no checks
 */
export function useMailChecks(order: MailPreviewOrder | null): MailChecks | undefined {
  const requested = order ?? { senderId: 0, targets: [], days: 0, testTo: null, candidateDates: null };
  const { data, error, isPlaceholderData } = useQuery({ ...finishedMail(requested, 1), enabled: order !== null });
  if (order === null) return undefined;
  if (error !== null) {
    return { checks: [{ kind: 'warning', text: messages.failed(error.message) }], testChecks: [], legalFaults: [] };
  }
  // The mails of an earlier order say nothing of this one.
  if (data === undefined || isPlaceholderData) return undefined;
  const skipped = data.skipped.length;
  const leftOut: readonly Check[] =
    skipped === 0 ? [] : [{ kind: 'warning', text: MAIL_PREVIEW_MESSAGES.skipped(skipped) }];
  const sourceless: readonly Check[] =
    data.without_source > 0 ? [{ kind: 'warning', text: messages.withoutSource(data.without_source) }] : [];
  const large = data.mail?.warnings.filter(({ kind }) => kind === 'too_large') ?? [];
  return {
    checks: [...leftOut, ...checksOf(data.mail), ...sourceless],
    testChecks: large.map(asCheck),
    legalFaults: data.legal_faults,
  };
}

/** Leaves out blank names, which are counted over all targets. */
function checksOf(mail: FinishedMail | null): readonly Check[] {
  if (mail === null) return [{ kind: 'warning', text: MAIL_PREVIEW_MESSAGES.none }];
  const warnings = mail.warnings.filter(({ text }) => text !== 'person_in_charge');
  if (warnings.length === 0) return [{ kind: 'fine', text: messages.fine }];
  return warnings.map(asCheck);
}

const asCheck = (warning: MailWarning): Check => ({ kind: 'warning', text: warningText(warning) });
