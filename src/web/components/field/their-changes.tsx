import type { ReactNode } from 'react';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { Notice } from '../state/notice.tsx';
import styles from './their-changes.module.css';

/** Scrolls a long form up to the notice. Tests have no layout to scroll. */
const show = (notice: HTMLElement | null): void => notice?.scrollIntoView?.({ block: 'nearest' });

interface Props {
  /** The server's sentence: who changed what, and when; undefined: a reload found the change. */
  readonly message?: string | undefined;
  /** What happens to the typed text; absent: says that it is kept. */
  readonly help?: string | undefined;
  readonly theirs: readonly { readonly label: string; readonly value: string }[];
  readonly className?: string | undefined;
  /** The buttons; absent: the form's own are enough. */
  readonly children?: ReactNode;
}

/** Shows what another person has saved meanwhile. The user's text is kept until one of both versions is saved. */
export function TheirChanges({ message, help, theirs, className = '', children }: Props) {
  if (theirs.length === 0 && message === undefined) return null;
  const messages = COMMON_MESSAGES.theirChanges;
  return (
    <Notice ref={show} tone="warning" className={className} role="alert">
      <p>
        <strong>{message ?? messages.title}</strong>
      </p>
      <p>{help ?? (theirs.length === 0 ? messages.keptHelp : messages.help)}</p>
      {theirs.length === 0 ? null : (
        <dl className={`terms ${styles.values}`}>
          {theirs.map(({ label, value }) => [
            <dt key={`${label} term`}>{label}</dt>,
            <dd key={label}>
              <bdi>{value === '' ? messages.blank : value}</bdi>
            </dd>,
          ])}
        </dl>
      )}
      {children === undefined ? null : <div className="row">{children}</div>}
    </Notice>
  );
}
