import { useEffect, useRef, useState } from 'react';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import type { Column, Sort } from './column.ts';

interface Props<Row> {
  readonly columns: readonly Column<Row>[];
  readonly sort: Sort | undefined;
}

/** Announces a new order to screen readers. */
export function SortAnnouncement<Row>({ columns, sort }: Props<Row>) {
  const [text, setText] = useState('');
  const key = sort === undefined ? '' : `${sort.id} ${sort.order}`;
  const announced = useRef(key);
  useEffect(() => {
    if (announced.current === key) return;
    announced.current = key;
    const header = columns.find(({ id }) => id === sort?.id)?.header;
    setText(
      sort === undefined || header === undefined
        ? COMMON_MESSAGES.table.unsorted
        : COMMON_MESSAGES.table.sortedBy(header, COMMON_MESSAGES.table.sorted[sort.order]),
    );
  }, [key, columns, sort]);
  return (
    <p role="status" className="visually-hidden">
      {text}
    </p>
  );
}
