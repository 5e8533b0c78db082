import { Pagination } from '@mantine/core';
import { useId, useState } from 'react';
import { PAGE_SIZES } from '#domain/limits.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './pager.module.css';

interface Props {
  /** undefined: loading. */
  readonly total: number | undefined;
  readonly page: number;
  /** The rows on screen are those of the previous page. */
  readonly isLoading: boolean;
  readonly size: number;
  readonly onPage: (page: number) => void;
  readonly onSize: (size: number) => void;
}

/** Shows the page whose rows are on screen: the requested one once it has loaded. */
export function Pager({ total, page, size, isLoading, onPage, onSize }: Props) {
  const sizeId = useId();
  const [shown, setShown] = useState({ page, size });
  if (!isLoading && (shown.page !== page || shown.size !== size)) setShown({ page, size });
  const pages = Math.max(1, Math.ceil((total ?? 0) / shown.size));
  return (
    <nav className={styles.pager} aria-label={COMMON_MESSAGES.pages.label}>
      <div className={styles.size}>
        <label htmlFor={sizeId}>{COMMON_MESSAGES.pages.size}</label>
        <select
          id={sizeId}
          className={styles.select}
          value={size}
          onChange={(event) => onSize(Number(event.target.value))}
        >
          {PAGE_SIZES.map((choice) => (
            <option key={choice} value={choice}>
              {COMMON_MESSAGES.pages.sizeOption(choice)}
            </option>
          ))}
        </select>
      </div>
      <span className={styles.range}>
        {total === undefined ? COMMON_MESSAGES.pages.counting : rangeOf(total, shown.page, shown.size)}
      </span>
      <Pagination
        classNames={{ control: styles.control }}
        size={28}
        gap={4}
        total={pages}
        value={shown.page}
        onChange={onPage}
        withEdges
        getItemProps={(item) => ({
          'aria-label': COMMON_MESSAGES.pages.page(item),
          children: COMMON_MESSAGES.pages.number(item),
        })}
        getControlProps={(control) => ({ 'aria-label': COMMON_MESSAGES.pages[control] })}
      />
    </nav>
  );
}

const rangeOf = (total: number, page: number, size: number): string =>
  COMMON_MESSAGES.pages.range(Math.min(total, (page - 1) * size + 1), Math.min(total, page * size), total);
