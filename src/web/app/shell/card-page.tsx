import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import type { ReactNode } from 'react';
import { Drawing, type DrawingName } from '#web/components/state/drawing.tsx';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import styles from './card-page.module.css';

interface Props {
  /** An outcome, where there is a drawing: screen readers announce it. */
  readonly title: string;
  /** Replaces the product's mark above the title, on a page that shows an outcome and has no form. */
  readonly drawing?: DrawingName | undefined;
  /** A message about what happened before, such as the end of a session. */
  readonly notice?: string | null;
  readonly children?: ReactNode;
  /** What the product offers, shown beside the form; below it on narrow screens. */
  readonly promise?: { readonly lead: string; readonly points: readonly string[] };
  /** Links below the form. */
  readonly foot?: ReactNode;
}

/** Shows one centred card: the frame of a visitor's page, or of a page with a single message. */
export function CardPage({ title, drawing, notice = null, children, promise, foot }: Props) {
  return (
    <div className={styles.page}>
      <title>{`${title} | ${PRODUCT_NAME}`}</title>
      <div className={`surface ${styles.card}`} data-wide={promise !== undefined || undefined}>
        <section
          className={`stack ${styles.form}`}
          aria-labelledby="card-title"
          data-drawn={drawing !== undefined || undefined}
        >
          {drawing === undefined ? <img src="/icon.svg" alt="" width={44} height={44} /> : <Drawing name={drawing} />}
          <h1 id="card-title" className={styles.title} aria-live={drawing === undefined ? undefined : 'polite'}>
            {title}
          </h1>
          {notice === null ? null : (
            <p role="status" className="tint">
              {notice}
            </p>
          )}
          {children}
          {foot === undefined ? null : <p className={styles.foot}>{foot}</p>}
        </section>
        {promise === undefined ? null : (
          <div className={`stack-wide ${styles.promise}`}>
            <Drawing name="sends" />
            <p className={styles.lead}>{promise.lead}</p>
            <ul className="stack">
              {promise.points.map((point) => (
                <li key={point} className="line">
                  <IconCheck size={18} aria-hidden data-state="good" />
                  {point}
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </div>
  );
}
