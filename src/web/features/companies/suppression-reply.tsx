import type { CompanyDetail } from '#contract/companies/companies.ts';
import { InfoNote } from '#web/components/inline/info-note.tsx';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';

type Suppressed = NonNullable<CompanyDetail['suppressed']>;

/** Returns why an address is suppressed, in one word. */
export const suppressionText = (suppressed: Suppressed): string => DATA_MESSAGES.suppressionClasses[suppressed.class];

/** Shows the reply of a mail server that suppressed an address, if a reply did. */
export function SuppressionReply({ suppressed }: { readonly suppressed: Suppressed }) {
  if (suppressed.reason === suppressionText(suppressed)) return null;
  return <InfoNote about="serverReply">{suppressed.reason}</InfoNote>;
}
