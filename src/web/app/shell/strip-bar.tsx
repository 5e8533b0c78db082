import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import { createPortal } from 'react-dom';
import { useFirstDay } from '#web/features/first-steps/first-steps-query.ts';
import { useIncompleteGroups } from '#web/features/legal-profile/legal-query.ts';
import { useStoppedSending } from '#web/features/send-logs/stopped-run.ts';
import { Link } from '#web/lib/router/link.tsx';
import { usesMailCatcher } from '#web/lib/screen/page-settings.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { useMailboxFacts } from './mailbox-facts.ts';
import styles from './strip-bar.module.css';
import { worstStrip } from './strips.ts';

const ICONS = { neutral: IconInfoCircle, amber: IconAlertTriangle, red: IconAlertTriangle };

/** Shows the most severe strip below the header. */
export function StripBar({ place }: { readonly place: HTMLElement | null }) {
  const incompleteGroups = useIncompleteGroups();
  const isFirstDay = useFirstDay();
  const may = { updateLegalProfile: useMay('updateLegalProfile'), addMailbox: useMay('addMailbox') };
  const strip = worstStrip({
    usesCatcher: usesMailCatcher(),
    mailboxes: useMailboxFacts(),
    stopped: useStoppedSending(),
    // The bar of the first day says this already, and has the link.
    incompleteGroups: isFirstDay ? [] : incompleteGroups,
  });
  if (place === null || strip === null) return null;
  const Icon = ICONS[strip.tone];
  return createPortal(
    // The key creates a new element for another text, so that its width does not jump.
    <p key={strip.text} className={`row tone ${styles.strip}`} data-tone={strip.tone}>
      <Icon size={16} aria-hidden />
      <span>{strip.text}</span>
      {strip.link === undefined || (strip.link.call !== undefined && !may[strip.link.call]) ? null : (
        <Link to={strip.link.to}>{strip.link.label}</Link>
      )}
    </p>,
    place,
  );
}
