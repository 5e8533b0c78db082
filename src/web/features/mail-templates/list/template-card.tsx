import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { htmlAfterSalutation, textAfterSalutation } from '#domain/mail/after-salutation.ts';
import { Chip } from '#web/components/inline/chip.tsx';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { May } from '#web/lib/session/use-may.ts';
import type { SentCounts, TemplateRow } from './list-templates.ts';
import styles from './template-list.module.css';
import { TEMPLATE_LIST_MESSAGES as messages } from './words.ts';

type Mail = Pick<AnswerOf<'previewMailTemplate'>, 'text' | 'html'>;

export interface CardParts {
  /** Renders the name as the link to the template's editor. */
  readonly renderLink: (template: TemplateRow) => ReactNode;
  readonly renderThumbnail: (mail: Mail) => ReactNode;
  readonly onActions: (template: TemplateRow) => void;
}

interface Props extends CardParts {
  readonly template: TemplateRow;
  /** undefined: not loaded. */
  readonly counts: SentCounts | undefined;
}

/** Shows a template: a small picture of its mail, its name, its senders, and its results. */
export function TemplateCard({ template, counts, renderLink, renderThumbnail, onActions }: Props) {
  const { name, subject, updated_at, updated_by } = template;
  return (
    <li className={`surface ${styles.card}`}>
      <Thumbnail template={template} render={renderThumbnail} />
      <div className={`stack-tight ${styles.about}`}>
        <h2>{renderLink(template)}</h2>
        {subject === name ? null : <p className="note">{subject}</p>}
        <Senders template={template} />
        <p className={styles.figures}>{counts && countsText(counts)}</p>
        <small>{messages.updated(sentenceTime(updated_at), updated_by)}</small>
      </div>
      <May call="updateMailTemplate">
        <button
          type="button"
          className={`icon-button ${styles.dots}`}
          aria-label={messages.actionsOf(name)}
          aria-haspopup="dialog"
          onClick={() => onActions(template)}
        >
          <IconDots size={18} aria-hidden />
        </button>
      </May>
    </li>
  );
}

const countsText = ({ sent, replied }: SentCounts): string =>
  sent === 0 ? messages.unsent : messages.counts(sent, ((100 * replied) / sent).toFixed(1));

/** The number of names shown; further people are only counted. */
const SHOWN_SENDERS = 2;

/** Returns the names of a template's senders. */
export const usersOf = ({ senders }: TemplateRow): readonly string[] => [
  ...new Set(senders.filter(({ active }) => active === 1).map((sender) => sender.person_in_charge)),
];

function Senders({ template }: Pick<Props, 'template'>) {
  const people = usersOf(template);
  if (people.length === 0) return <small>{messages.noSender}</small>;
  return <People label={messages.senders} people={people} shown={SHOWN_SENDERS} />;
}

interface PeopleProps {
  readonly label: string;
  readonly people: readonly string[];
  /** The number of names shown; further people are only counted. */
  readonly shown: number;
}

/** Shows as many names as fit, and the number of the others. */
export function People({ label, people, shown }: PeopleProps) {
  const rest = people.length - shown;
  return (
    <ul className={`row ${styles.people}`} aria-label={label}>
      {people.slice(0, shown).map((person) => (
        <li key={person}>
          <Chip title={person}>{person}</Chip>
        </li>
      ))}
      {rest > 0 ? <li>{messages.moreSenders(rest)}</li> : null}
    </ul>
  );
}

const NAMES = Object.values(messages.sampleCompany);

/**
 * Fetches a stored template's mail to the sample company, or null on failure. A change makes another key. All mails
 * begin with the same two lines, so a small picture begins behind them.
 */
const templateMail = ({ id, updated_at }: TemplateRow) =>
  queryOptions({
    queryKey: ['template_mail', id, updated_at],
    queryFn: async ({ signal }): Promise<Mail | null> => {
      const params = { id: String(id) };
      const { subject, text_body, html_body } = unwrap(await call('getMailTemplate', { params }, { signal }));
      const has = { sender_id: null, has_candidate_dates: 1 } as const;
      const body = { ...has, ...messages.sampleCompany, subject, text_body, html_body };
      const answer = await call('previewMailTemplate', { params, body }, { signal });
      if (!answer.ok && answer.status === 400) return null;
      const { text, html } = unwrap(answer);
      return { text: textAfterSalutation(text, NAMES), html: htmlAfterSalutation(html, NAMES) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    // The list reports a lost connection. A card also works without its picture.
    meta: { quiet: true },
    retry: false,
  });

interface ThumbnailProps {
  readonly template: TemplateRow;
  readonly render: Props['renderThumbnail'];
}

function Thumbnail({ template, render }: ThumbnailProps) {
  const [element, isNear] = useNear();
  const { data } = useQuery({ ...templateMail(template), enabled: isNear });
  return (
    <div ref={element} className={styles.thumbnail}>
      {data === null ? <p>{messages.noThumbnail}</p> : null}
      {data === null || data === undefined ? null : render(data)}
    </div>
  );
}

/** Whether an element has come near the window. Without layout, all are near. */
function useNear() {
  const element = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(typeof IntersectionObserver === 'undefined');
  useEffect(() => {
    if (isNear || element.current === null) return;
    const look = (seen: readonly IntersectionObserverEntry[]) =>
      setNear(seen.some(({ isIntersecting }) => isIntersecting));
    const observer = new IntersectionObserver(look, { rootMargin: '200px' });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isNear]);
  return [element, isNear] as const;
}
