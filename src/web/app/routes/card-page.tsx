import type { ReactNode } from 'react';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import styles from './card-page.module.css';

interface Props {
  readonly title: string;
  /** What has happened before this page, such as the end of a session. */
  readonly notice?: string | null;
  readonly children: ReactNode;
  /** Links below the form. */
  readonly foot?: ReactNode;
}

/** A page that visitors open: one card in the middle. */
export function CardPage({ title, notice = null, children, foot }: Props) {
  return (
    <div className={styles.page}>
      <title>{`${title} | ${PRODUCT_NAME}`}</title>
      <section className={styles.card} aria-labelledby="card-title">
        <h1 id="card-title" className={styles.title}>
          <img src="/icon.svg" alt="" width={32} height={32} />
          {title}
        </h1>
        {notice === null ? null : (
          <p role="status" className={styles.notice}>
            {notice}
          </p>
        )}
        {children}
        {foot === undefined ? null : <p className={styles.foot}>{foot}</p>}
      </section>
    </div>
  );
}
