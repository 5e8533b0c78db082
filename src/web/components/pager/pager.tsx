import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import IconChevronsLeft from '@tabler/icons-react/dist/esm/icons/IconChevronsLeft.mjs';
import IconChevronsRight from '@tabler/icons-react/dist/esm/icons/IconChevronsRight.mjs';
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { useId, useState } from 'react';
import { PAGE_SIZES } from '#domain/limits.ts';
import field from '../field/field.module.css';
import styles from './pager.module.css';
import { PAGER_MESSAGES } from './words.ts';

interface Props {
  /** undefined: loading. */
  readonly total: number | undefined;
  readonly page: number;
  /** The rows on screen are those of the previous page. */
  readonly isLoading: boolean;
  readonly size: number;
  readonly onPage: (page: number) => void;
  readonly onSize: (size: number) => void;
  /** If at most this many rows exist, the pager offers no page size. Without rows it is absent, unless this is 0. */
  readonly fits?: number;
}

/** Shows the page number of the rows on screen: the requested page once it has loaded. */
export function Pager({ total, page, size, isLoading, onPage, onSize, fits = 50 }: Props) {
  const sizeId = useId();
  const [shown, setShown] = useState({ page, size });
  if (!isLoading && (shown.page !== page || shown.size !== size)) setShown({ page, size });
  const pages = Math.max(1, Math.ceil((total ?? 0) / shown.size));
  const isChoice = pages > 1 || total === undefined || total > fits;
  if (total === 0 && fits > 0) return null;
  return (
    <nav className={`row ${styles.pager}`} aria-label={PAGER_MESSAGES.label}>
      <div className={`line ${styles.size}`} hidden={!isChoice}>
        <label htmlFor={sizeId}>{PAGER_MESSAGES.size}</label>
        <select
          id={sizeId}
          className={field.control}
          value={size}
          onChange={(event) => onSize(Number(event.target.value))}
        >
          {PAGE_SIZES.map((choice) => (
            <option key={choice} value={choice}>
              {PAGER_MESSAGES.sizeOption(choice)}
            </option>
          ))}
        </select>
      </div>
      <span className={styles.range}>
        {total === undefined ? PAGER_MESSAGES.counting : rangeOf(total, shown.page, shown.size)}
      </span>
      {pages === 1 ? null : <Pages pages={pages} page={shown.page} onPage={onPage} />}
    </nav>
  );
}

interface PagesProps {
  readonly pages: number;
  readonly page: number;
  readonly onPage: (page: number) => void;
}

/** Shows buttons for the first, the last and the nearby pages, between those for previous, next and both ends. */
function Pages({ pages, page, onPage }: PagesProps) {
  const edge = (name: 'first' | 'previous' | 'next' | 'last', to: number, Icon: typeof IconDots) => (
    <button
      type="button"
      className={styles.control}
      aria-label={PAGER_MESSAGES[name]}
      disabled={to < 1 || to > pages || to === page}
      onClick={() => onPage(to)}
    >
      <Icon size={16} aria-hidden />
    </button>
  );
  return (
    <div className={`row ${styles.pages}`}>
      {edge('first', 1, IconChevronsLeft)}
      {edge('previous', page - 1, IconChevronLeft)}
      {shownPages(page, pages).map((number, place) =>
        number === null ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a gap has nothing but its place
          <span key={`gap ${place}`} className={styles.gap}>
            <IconDots size={16} aria-hidden />
          </span>
        ) : (
          <button
            key={number}
            type="button"
            className={styles.control}
            aria-label={PAGER_MESSAGES.page(number)}
            aria-current={number === page ? 'page' : undefined}
            onClick={() => onPage(number)}
          >
            {PAGER_MESSAGES.number(number)}
          </button>
        ),
      )}
      {edge('next', page + 1, IconChevronRight)}
      {edge('last', pages, IconChevronsRight)}
    </div>
  );
}

/** The number of places, the same for every page, so that no button moves away from the pointer. */
const PLACES = 7;

/** Returns the pages that have a button; null: a gap. */
export function shownPages(page: number, pages: number): readonly (number | null)[] {
  if (pages <= PLACES) return Array.from({ length: pages }, (_, index) => index + 1);
  const middle = Math.min(Math.max(page, 4), pages - 3);
  return [1, middle === 4 ? 2 : null, middle - 1, middle, middle + 1, middle === pages - 3 ? pages - 1 : null, pages];
}

const rangeOf = (total: number, page: number, size: number): string =>
  PAGER_MESSAGES.range(Math.min(total, (page - 1) * size + 1), Math.min(total, page * size), total);
