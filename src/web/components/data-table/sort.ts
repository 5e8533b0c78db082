export interface Sort {
  readonly id: string;
  readonly order: 'asc' | 'desc';
}

/** Returns the order after a click on the header of column `id`: ascending, then descending, then none. */
export function nextSort(sort: Sort | undefined, id: string): Sort | undefined {
  if (sort?.id !== id) return { id, order: 'asc' };
  return sort.order === 'asc' ? { id, order: 'desc' } : undefined;
}
