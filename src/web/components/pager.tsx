import '@mantine/core/styles/Group.css';
import '@mantine/core/styles/Pagination.css';
import { Pagination } from '@mantine/core';
import { useId } from 'react';
import { PAGE_SIZES } from '#domain/limits.ts';
import { WORDS } from '#web/lib/words.ts';
import styles from './pager.module.css';

interface Props {
  /** undefined: not known yet. */
  readonly total: number | undefined;
  readonly page: number;
  readonly size: number;
  readonly onPage: (page: number) => void;
  readonly onSize: (size: number) => void;
}

export function Pager({ total, page, size, onPage, onSize }: Props) {
  const sizeId = useId();
  const pages = Math.max(1, Math.ceil((total ?? 0) / size));
  return (
    <nav className={styles.pager} aria-label={WORDS.pages.label}>
      <div className={styles.size}>
        <label htmlFor={sizeId}>{WORDS.pages.size}</label>
        <select
          id={sizeId}
          className={styles.select}
          value={size}
          onChange={(event) => onSize(Number(event.target.value))}
        >
          {PAGE_SIZES.map((choice) => (
            <option key={choice} value={choice}>
              {WORDS.pages.sizeOption(choice)}
            </option>
          ))}
        </select>
      </div>
      <span className={styles.range}>{total === undefined ? WORDS.pages.counting : rangeOf(total, page, size)}</span>
      <Pagination
        classNames={{ control: styles.control }}
        size={28}
        gap={4}
        total={pages}
        value={page}
        onChange={onPage}
        withEdges
        getItemProps={(item) => ({ 'aria-label': WORDS.pages.page(item), children: WORDS.pages.number(item) })}
        getControlProps={(control) => ({ 'aria-label': WORDS.pages[control] })}
      />
    </nav>
  );
}

const rangeOf = (total: number, page: number, size: number): string =>
  WORDS.pages.range(Math.min(total, (page - 1) * size + 1), Math.min(total, page * size), total);
