import type { ReactNode } from 'react';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import { DockedAction } from './dialog/docked-action.tsx';
import { GuideLink, type GuideSection } from './inline/guide-link.tsx';
import styles from './page-frame.module.css';

interface Props {
  /** The heading, and the title of the browser tab. */
  readonly title: string;
  /** The heading, if it shows more than the title's text. */
  readonly heading?: ReactNode;
  /** Badges beside the heading. */
  readonly marks?: ReactNode;
  /** A link to the parent page. */
  readonly back?: ReactNode;
  /** The other buttons of the page, at the end of the heading's line. */
  readonly tools?: ReactNode;
  /** The one primary button of the page. On phones it stays at the bottom of the window. */
  readonly action?: ReactNode;
  /** One line below the heading. */
  readonly help?: string | undefined;
  /** The section of the user's guide that explains the page. */
  readonly guide?: GuideSection;
  /** A page of forms: one centred column. */
  readonly isNarrow?: boolean;
  /** Saves height: on wide screens the head is one line, with the back link before a heading that may be cut. */
  readonly isOneLine?: boolean;
  readonly children: ReactNode;
}

/** Shows the frame of a screen: heading, primary button and help, above its filter bar, table and pager. */
export function PageFrame({
  title,
  heading = title,
  marks,
  back,
  tools,
  action,
  help,
  guide,
  children,
  ...look
}: Props) {
  const { isNarrow = false, isOneLine = false } = look;
  return (
    <div className={`stack ${styles.page}`} data-narrow={isNarrow || undefined}>
      <title>{`${title} | ${PRODUCT_NAME}`}</title>
      <div className={`row ${styles.head}`} data-one-line={isOneLine || undefined}>
        {isOneLine ? back : null}
        <h1 className={styles.title} title={isOneLine ? title : undefined}>
          {heading}
        </h1>
        {marks}
        {guide === undefined ? null : <GuideLink section={guide} />}
        {isOneLine ? null : back}
        {tools === undefined ? null : <div className={`row screen-only ${styles.tools}`}>{tools}</div>}
        {action === undefined ? null : <DockedAction>{action}</DockedAction>}
      </div>
      {help === undefined ? null : <p className={`note ${styles.help}`}>{help}</p>}
      {children}
    </div>
  );
}
