/** One page of a list call. The rows are the answer's body; the total and the next page go into headers. */
export class ListPage<Row> {
  readonly rows: readonly Row[];
  /** The number of rows of the whole list. */
  readonly total: number;
  /** The offset and limit of this page. */
  readonly window: ListWindow;

  constructor(rows: readonly Row[], total: number, window: ListWindow) {
    this.rows = rows;
    this.total = total;
    this.window = window;
  }

  /** @param url the request's URL; the link to the next page repeats its query */
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
