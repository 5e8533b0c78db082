import { CompiledQuery, type RawBuilder } from 'kysely';
import type { Db } from '../db.ts';

/** A placeholder in a built query for a value that each call supplies. */
class Slot {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/**
 * Makes a query whose text depends only on its shape, so that each shape is built once.
 * Kysely takes as long to build a query as PostgreSQL to run it.
 * @param build gets slots, which it passes on but cannot read. Shapes must be few, as each is cached
 */
export function shapedQuery<Shape, Values extends object, Row>(
  build: (shape: Shape, values: Values) => RawBuilder<Row>,
): (db: Db, shape: Shape, values: Values) => Promise<Row[]> {
  const slots = new Proxy({}, { get: (_, name) => new Slot(name) }) as Values;
  const built = new Map<string, CompiledQuery>();
  const queryOf = (db: Db, shape: Shape) => {
    const key = JSON.stringify(shape);
    const query = built.get(key) ?? build(shape, slots).compile(db);
    built.set(key, query);
    return query;
  };
  return async (db, shape, values) => {
    const query = queryOf(db, shape);
    const filled = query.parameters.map((one) => (one instanceof Slot ? values[one.name as keyof Values] : one));
    return (await db.executeQuery<Row>(CompiledQuery.raw(query.sql, filled))).rows;
  };
}
