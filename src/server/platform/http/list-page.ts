/**
 * Rows of a list call with what tells whether there are more: the answer's body is the rows, the rest goes into
 * headers.
 */
export class ListPage<Row> {
  readonly rows: readonly Row[];
  /** Rows of the whole list. */
  readonly total: number;
  /** Where this page begins, and how long it may be. */
  readonly window: ListWindow;

  constructor(rows: readonly Row[], total: number, window: ListWindow) {
    this.rows = rows;
    this.total = total;
    this.window = window;
  }

  /** @param url of the request: the next page is asked for by the same query */
  headers(url: string): Record<string, string> {
    const { limit, offset } = this.window;
    const count = { 'x-total-count': String(this.total) };
    const end = offset + this.rows.length;
    if (this.rows.length === 0 || end >= this.total) return count;
    const next = new URL(url, 'http://localhost');
    next.searchParams.set('limit', String(limit));
    next.searchParams.set('offset', String(end));
    return { ...count, link: `<${next.pathname}${next.search}>; rel="next"` };
  }
}

export interface ListWindow {
  readonly limit: number;
  readonly offset: number;
}
