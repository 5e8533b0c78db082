import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import type { ReactNode } from 'react';
import { Link } from '#web/lib/router/link.tsx';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import { DockedAction } from './dialog/docked-action.tsx';
import { ButtonLink } from './inline/button-link.tsx';
import { GuideLink, type GuideSection } from './inline/guide-link.tsx';
import styles from './page-frame.module.css';
import { EmptyState } from './state/empty-state.tsx';
import { FRAME_MESSAGES } from './words.ts';

/** The parent page. */
export interface WayBack {
  readonly to: string;
  /** Its name. */
  readonly label: string;
}

interface Props {
  /** The heading, and the title of the browser tab. */
  readonly title: string;
  /** The heading, if it shows more than the title's text. */
  readonly heading?: ReactNode;
  /** Badges behind the heading. */
  readonly marks?: ReactNode;
  /** The parent page, whose link is a line above the heading. */
  readonly back?: WayBack;
  /** The other buttons of the page, at the end of the heading's line. */
  readonly tools?: ReactNode;
  /** The one primary button of the page. On phones it stays at the bottom of the window. */
  readonly action?: ReactNode;
  /** One line below the heading. */
  readonly help?: string | undefined;
  /** The section of the user's guide that explains the page, at the very end of the heading's line. */
  readonly guide?: GuideSection;
  /** A page of forms: one centred column. */
  readonly isNarrow?: boolean;
  /** Saves height: on wide screens a long heading is cut. */
  readonly isCut?: boolean;
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
  const { isNarrow = false, isCut = false } = look;
  return (
    <div className={`stack ${styles.page}`} data-narrow={isNarrow || undefined}>
      <title>{`${title} | ${PRODUCT_NAME}`}</title>
      <div className={styles.head}>
        {back === undefined ? null : <Back {...back} />}
        <div className={styles.line} data-cut={isCut || undefined}>
          <div className={`row ${styles.name}`}>
            <h1 title={isCut ? title : undefined}>{heading}</h1>
            {marks}
          </div>
          {tools === undefined ? null : <div className={`row screen-only ${styles.tools}`}>{tools}</div>}
          {action === undefined ? null : <DockedAction>{action}</DockedAction>}
          {guide === undefined ? null : <GuideLink section={guide} />}
        </div>
      </div>
      {help === undefined ? null : <p className={`note ${styles.help}`}>{help}</p>}
      {children}
    </div>
  );
}

const Back = ({ to, label }: WayBack) => (
  <Link to={to} className={`screen-only ${styles.back}`} aria-label={FRAME_MESSAGES.backTo(label)}>
    <IconChevronLeft size={14} aria-hidden />
    {label}
  </Link>
);

interface NotThereProps {
  readonly title: string;
  readonly help: string;
  /** The list that the thing would be in; undefined: it is in view beside this. */
  readonly back: WayBack | undefined;
}

/** Shown in place of a thing whose address leads to none. */
export const NotThere = ({ title, help, back }: NotThereProps) => (
  <div className="surface">
    <EmptyState kind="no-match" title={title} help={help}>
      {back === undefined ? null : (
        <ButtonLink variant="primary" to={back.to}>
          {FRAME_MESSAGES.backTo(back.label)}
        </ButtonLink>
      )}
    </EmptyState>
  </div>
);
