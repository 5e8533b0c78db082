import type { ReactNode } from 'react';
import { Drawing, type DrawingName } from '#web/components/drawing.tsx';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import styles from './card-page.module.css';

interface Props {
  readonly title: string;
  /** What stands above the title in place of the product's mark: the page has an outcome and no form. */
  readonly drawing?: DrawingName | undefined;
  /** What has happened before this page, such as the end of a session. */
  readonly notice?: string | null;
  readonly children?: ReactNode;
  /** Links below the form. */
  readonly foot?: ReactNode;
}

/** A page that visitors open, or of one message: one card in the middle. */
export function CardPage({ title, drawing, notice = null, children, foot }: Props) {
  return (
    <div className={styles.page}>
      <title>{`${title} | ${PRODUCT_NAME}`}</title>
      <section
        className={`stack surface ${styles.card}`}
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
    </div>
  );
}
