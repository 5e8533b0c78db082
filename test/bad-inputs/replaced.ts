import type { ApiDocument } from '../authorization/random-call.ts';

type Operation = ApiDocument['paths'][string][string];
/** The schema of a body or of a part of it. */
export type Schema = NonNullable<Operation['requestBody']>['content'][string]['schema'];

/** Returns the schema of the value itself, where the value may be encoded as JSON or be null. */
const shapeOf = (schema: Schema): Schema =>
  schema.anyOf?.find(({ properties, items }) => properties ?? items) ?? schema;

/**
 * Yields a value with each of its parts replaced in turn, at any depth.
 * An optional part that it lacks counts too.
 */
export function* replaced(
  value: unknown,
  by: unknown,
  schema: Schema = {},
  place = '',
): Generator<{ place: string; value: unknown }> {
  if (place !== '') yield { place, value: by };
  if (typeof value !== 'object' || value === null) return;
  const { properties, items } = shapeOf(schema);
  for (const key of Object.keys({ ...properties, ...value })) {
    const part = (value as Record<string, unknown>)[key];
    for (const inner of replaced(part, by, properties?.[key] ?? items, `${place}.${key}`)) {
      const whole = Array.isArray(value) ? value.with(Number(key), inner.value) : { ...value, [key]: inner.value };
      yield { place: inner.place, value: whole };
    }
  }
}
