import type { ReactNode } from 'react';
import { footerLines, shownPlace, textFooter } from '#domain/law/footer.ts';
import type { LegalProfile } from '#domain/law/profile.ts';
import type { RefusalPlace } from '#domain/law/refusal-place.ts';
import { Panel } from '#web/components/panel.tsx';
import styles from './legal-profile.module.css';
import { LEGAL_MESSAGES } from './words.ts';

const { preview: messages } = LEGAL_MESSAGES;

interface Props {
  readonly profile: LegalProfile;
  /** Whether recipients can open links of this server. */
  readonly hasPublicUrl: boolean;
  /** The mailbox that takes refusals if the profile names no address. */
  readonly refusalMailbox: string | null;
}

/** Shows the footer as recipients see it, rendered by the functions that render mails. */
export function FooterPreview({ profile, hasPublicUrl, refusalMailbox }: Props) {
  const place = placeOf(profile, hasPublicUrl, refusalMailbox);
  return (
    <Panel title={messages.title} help={messages.help}>
      {place === null ? <p className="fault">{messages.noPlace}</p> : null}
      <figure className={styles.mail}>
        <figcaption>{messages.html}</figcaption>
        <HtmlFooter profile={profile} place={place} />
      </figure>
      <figure className={styles.mail}>
        <figcaption>{messages.text}</figcaption>
        <pre className={styles.text}>{textFooter(profile, place)}</pre>
      </figure>
    </Panel>
  );
}

/** Returns the footer's links. Each mail has its own link, so a placeholder is shown. */
function placeOf(
  { refusal_email }: LegalProfile,
  hasPublicUrl: boolean,
  refusalMailbox: string | null,
): RefusalPlace | null {
  if (hasPublicUrl) return { url: messages.url };
  if (refusalMailbox !== null) return { email: refusal_email.trim() || refusalMailbox, takesAnswers: true };
  return refusal_email.trim() === '' ? null : { email: refusal_email };
}

function HtmlFooter({ profile, place }: { readonly profile: LegalProfile; readonly place: RefusalPlace | null }) {
  const { head, notice, tail } = footerLines(profile, place);
  const refusal: readonly ReactNode[] = place === null ? [] : [notice, <u key="place">{shownPlace(place)}</u>];
  const lines = [...head, ...refusal, ...tail];
  return (
    <div className={styles.html}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity, and no state
        <div key={index}>{line}</div>
      ))}
    </div>
  );
}
