import IconHelpCircle from '@tabler/icons-react/dist/esm/icons/IconHelpCircle.mjs';
import { COMMON_MESSAGES } from '#web/lib/words.ts';

/** The sections of docs/guide.md, from which the build makes /guide.html. */
export const GUIDE_SECTIONS = [
  'first-day',
  'leader',
  'sales-day',
  'server',
  'team',
  'senders',
  'mailboxes',
  'legal',
  'domains',
  'import',
  'companies',
  'own-fields',
  'people',
  'templates',
  'sending',
  'sending-rules',
  'reservations',
  'results',
  'inbox',
  'notices',
  'suppressions',
  'export',
  'personal-data',
  'retention',
  'account',
  'trouble',
] as const;
export type GuideSection = (typeof GUIDE_SECTIONS)[number];

export const guideUrl = (section: GuideSection): string => `/guide.html#${section}`;

/** The page that the build makes from docs/law.md: what the law requires of mails, and what this program does. */
export const LAW_URL = '/law.html';

/** Opens the user's guide at a section, in a new tab, so that no input is lost. */
export function GuideLink({ section }: { readonly section: GuideSection }) {
  return (
    <a
      href={guideUrl(section)}
      target="_blank"
      rel="noopener"
      className="icon-button"
      aria-label={COMMON_MESSAGES.guide}
      title={COMMON_MESSAGES.guide}
    >
      <IconHelpCircle size={20} stroke={1.8} aria-hidden />
    </a>
  );
}
