import type pg from 'pg';

interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[] | undefined;
}

/**
 * Sends what `rewrite` makes of each statement instead: the last word on its way to the server, after builders, caches
 * and notes. For connections the pool has still to open.
 * @param rewrite made once a connection, so that it may remember what this was told
 */
export function rewriteStatements(pool: pg.Pool, rewrite: () => (statement: Statement) => string): void {
  pool.on('connect', (client) => {
    const send = client.query.bind(client) as (asked: unknown, ...rest: unknown[]) => never;
    const rewritten = rewrite();
    client.query = (asked: string | (Statement & object), ...rest: unknown[]) =>
      typeof asked === 'string'
        ? send(rewritten({ text: asked, values: rest[0] as unknown[] | undefined }), ...rest)
        : send({ ...asked, text: rewritten(asked) }, ...rest);
  });
}
