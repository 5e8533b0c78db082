import type { CompanyDetail } from '#contract/companies/companies.ts';
import { domainOf } from '#domain/mail/address-key.ts';
import { Notice } from '#web/components/state/notice.tsx';
import { suppressionPath } from '#web/lib/address/params.ts';
import { Link } from '#web/lib/router/link.tsx';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { SUPPRESSION_MESSAGES as messages } from './words.ts';

/** Why an address gets no mail, in the data of a company or a mail. */
export type SuppressionNotice = NonNullable<CompanyDetail['suppressed']>;

/** Returns the suppressed value: the address or its domain. */
export const suppressedValue = ({ kind }: SuppressionNotice, address: string): string =>
  kind === 'domain' ? domainOf(address) : address;

interface Props {
  readonly notice: SuppressionNotice;
  /** undefined: no longer stored. */
  readonly address: string | undefined;
  /** Whether it is shown within another message. */
  readonly isPart?: boolean;
}

/** Says that an address gets no mail, and links to the screen that lifts the suppression. */
export function SuppressionNote({ notice: { class: type, source, created_at }, address, isPart = false }: Props) {
  const text =
    type === 'undeliverable'
      ? messages.dead(sentenceTime(created_at))
      : messages.note(messages.classes[type], messages.sources[source], sentenceTime(created_at));
  const open = <Link to={suppressionPath(address)}>{messages.open}</Link>;
  if (isPart) {
    return (
      <p className="row">
        {text} {open}
      </p>
    );
  }
  return (
    <Notice tone="warning" act={open}>
      {text}
    </Notice>
  );
}
