import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  PostgresDriver,
  type QueryResult,
} from 'kysely';
import type pg from 'pg';
import { hintOf } from './driver-hints.ts';

/** Kysely's PostgreSQL dialect on a pool, with connections that follow driver hints. */
export class HintedDialect extends PostgresDialect {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    super({ pool: pool as never });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new HintedDriver(this.#pool);
  }
}

class HintedDriver extends PostgresDriver {
  readonly #pool: pg.Pool;
  /** One connection object per client, because Kysely expects the same object for the same client. */
  readonly #connections = new WeakMap<pg.PoolClient, HintedConnection>();

  constructor(pool: pg.Pool) {
    super({ pool: pool as never });
    this.#pool = pool;
  }

  override async acquireConnection(): Promise<HintedConnection> {
    const client = await this.#pool.connect();
    const connection = this.#connections.get(client) ?? new HintedConnection(client);
    this.#connections.set(client, connection);
    return connection;
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as HintedConnection).release();
  }
}

const NO_ANSWER = Promise.resolve({ command: '', rowCount: 0, rows: [] });
const CHANGING_COMMANDS = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'];

type Answer = Pick<pg.QueryResult, 'command' | 'rowCount' | 'rows'>;

/** Wraps a client's connection. If the client cannot pipeline, hints about the send order have no effect. */
class HintedConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  /** The query with the hint `with-next` that has not been sent yet. */
  #heldBack: CompiledQuery | null = null;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const { command, rowCount, rows } = await this.#execute(query);
      const isChange = CHANGING_COMMANDS.includes(command);
      // The answer to several statements in one text is an array, without rows of its own.
      return { ...(isChange && { numAffectedRows: BigInt(rowCount ?? 0) }), rows: rows ?? [] };
    } catch (error) {
      throw withCallers(error, new Error());
    }
  }

  streamQuery(): never {
    throw new Error('queries are not streamed');
  }

  release(): void {
    this.#client.release();
  }

  #execute(query: CompiledQuery): Promise<Answer> {
    const kind = hintOf(query)?.kind;
    if (this.#client.pipeline && kind === 'with-next') {
      this.#heldBack = query;
      return NO_ANSWER;
    }
    const first = this.#heldBack === null ? null : this.#send(this.#heldBack);
    this.#heldBack = null;
    const second = this.#send(query);
    const answer = first === null ? second : Promise.all([first, second]).then(() => second);
    if (!this.#client.pipeline || kind !== 'unawaited') return answer;
    // It fails only if its connection breaks, which fails the next query too.
    answer.catch(() => {});
    return NO_ANSWER;
  }

  #send(query: CompiledQuery): Promise<Answer> {
    const hint = hintOf(query);
    const values = [...query.parameters];
    return hint?.kind === 'prepared'
      ? this.#client.query({ name: hint.name, text: query.sql, values })
      : this.#client.query(query.sql, values);
  }
}

/** Appends the caller's stack to a pg error, whose own stack starts at the socket. Kysely's driver does the same. */
function withCallers(error: unknown, { stack = '' }: Error): unknown {
  if (error instanceof Error) error.stack += `\n${stack.split('\n').slice(1).join('\n')}`;
  return error;
}
