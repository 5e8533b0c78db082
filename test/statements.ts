import type pg from 'pg';

interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[] | undefined;
}

/**
 * Replaces each statement by the result of `rewrite`, as the last step before the server.
 * It runs after query builders, caches and hints. Applies to connections that the pool opens later.
 * @param rewrite created once for each connection, so that it may have state
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
