import { NOTICE_TITLES } from '#contract/notices-names.ts';
import { Link } from '#web/lib/router/link.tsx';
import { type NoticePaths, pathOfNotice, pathOfSubject } from './notice-links.ts';
import styles from './notice-panel.module.css';
import type { Notice } from './notice-query.ts';
import { NOTICE_MESSAGES as messages } from './words.ts';

interface Props {
  readonly notice: Notice;
  readonly paths: NoticePaths;
  /** A link of it was followed. */
  readonly onOpen: () => void;
}

/** One notice: what happened, to what, and when. */
export function NoticeRow({ notice, paths, onOpen }: Props) {
  const { kind, percent, count, subjects, last_at, is_read } = notice;
  const rest = subjects.length > 0 ? count - subjects.length : 0;
  return (
    <li className={styles.row} data-unread={is_read === 0 || undefined}>
      <span className={styles.head}>
        {is_read === 0 ? <span className={styles.dot} role="img" aria-label={messages.unread} /> : null}
        <Link to={pathOfNotice(notice, paths)} className={styles.title} onClick={onOpen}>
          {messages.counted(NOTICE_TITLES[kind](percent), count)}
        </Link>
        <time className={styles.time}>{last_at.slice(5, -3)}</time>
      </span>
      {subjects.length > 0 ? (
        <span className={styles.subjects}>
          {subjects.map(({ id, name }) => (
            <Subject key={id} name={name} to={pathOfSubject(notice, id, paths)} onOpen={onOpen} />
          ))}
          {rest > 0 ? <span>{messages.rest(rest)}</span> : null}
        </span>
      ) : null}
    </li>
  );
}

interface SubjectProps {
  readonly name: string;
  readonly to: string | null;
  readonly onOpen: () => void;
}

const Subject = ({ name, to, onOpen }: SubjectProps) =>
  to === null ? (
    <span>{name}</span>
  ) : (
    <Link to={to} onClick={onOpen}>
      {name}
    </Link>
  );
