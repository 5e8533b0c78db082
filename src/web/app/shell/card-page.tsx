import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import type { ReactNode } from 'react';
import { Drawing, type DrawingName } from '#web/components/state/drawing.tsx';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import styles from './card-page.module.css';

interface Props {
  readonly title: string;
  /** What stands above the title in place of the product's mark: the page has an outcome and no form. */
  readonly drawing?: DrawingName | undefined;
  /** What has happened before this page, such as the end of a session. */
  readonly notice?: string | null;
  readonly children?: ReactNode;
  /** What one gets behind the door, beside the form; on narrow screens below it. */
  readonly promise?: { readonly lead: string; readonly points: readonly string[] };
  /** Links below the form. */
  readonly foot?: ReactNode;
}

/** A page that visitors open, or of one message: one card in the middle. */
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
          <h1 id="card-title" className={styles.title}>
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
