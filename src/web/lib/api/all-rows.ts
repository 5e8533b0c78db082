import type { ApiResult } from './call.ts';
import { unwrap, unwrapPage } from './query-client.ts';

/**
 * Reads a list to its end. The pages after the first are requested at once.
 * @param max the maximum number of rows
 * @param read reads the page at an offset
 */
export async function allRows<Row>(
  max: number,
  read: (offset: number) => Promise<ApiResult<readonly Row[]>>,
): Promise<Row[]> {
  const { rows, total } = unwrapPage(await read(0));
  const end = Math.min(total, max);
  const others: Promise<ApiResult<readonly Row[]>>[] = [];
  if (rows.length > 0) for (let offset = rows.length; offset < end; offset += rows.length) others.push(read(offset));
  return [...rows, ...(await Promise.all(others)).flatMap(unwrap)];
}
