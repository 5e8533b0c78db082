import type { ApiDocument } from '../authorization/random-call.ts';

export type Operation = ApiDocument['paths'][string][string];
/** The schema of a body or of a part of it. */
export type Schema = NonNullable<Operation['requestBody']>['content'][string]['schema'];

/** Returns the schema of the value itself, where the value may be encoded as JSON or be null. */
const shapeOf = (schema: Schema): Schema =>
  schema.anyOf?.find(({ properties, items }) => properties ?? items) ?? schema;

/** Checks whether a value may be a number. */
export const isNumber = ({ type, anyOf = [], oneOf = [] }: Schema): boolean =>
  ['integer', 'number'].some((number) => type === number || type?.includes(number)) ||
  [...anyOf, ...oneOf].some(isNumber);

interface Replaced {
  /** Such as `.add_info.id`. */
  readonly place: string;
  /** The whole value, with that place replaced. */
  readonly value: unknown;
  /** The schema of the place. */
  readonly of: Schema;
}

/**
 * Yields a value with each of its parts replaced in turn, at any depth.
 * An optional part that it lacks counts too.
 */
export function* replaced(value: unknown, by: unknown, schema: Schema = {}, place = ''): Generator<Replaced> {
  if (place !== '') yield { place, value: by, of: schema };
  const { properties, items } = shapeOf(schema);
  const whole = value === undefined && properties ? {} : value;
  if (typeof whole !== 'object' || whole === null) return;
  for (const key of Object.keys({ ...properties, ...whole })) {
    const part = (whole as Record<string, unknown>)[key];
    for (const { value: inner, ...found } of replaced(part, by, properties?.[key] ?? items, `${place}.${key}`)) {
      yield { ...found, value: Array.isArray(whole) ? whole.with(Number(key), inner) : { ...whole, [key]: inner } };
    }
  }
}

/** Yields each parameter of a query, and each key of those that are objects, as an address writes them. */
export function* queryPlaces({ parameters = [] }: Operation): Generator<{ name: string; of: Schema }> {
  for (const { name, schema, in: place } of parameters) if (place === 'query') yield* placesOf(name, schema);
}

function* placesOf(name: string, schema: Schema): Generator<{ name: string; of: Schema }> {
  yield { name, of: schema };
  // A value, an object that compares with it, or both.
  for (const { properties } of [schema, ...(schema.anyOf ?? [])]) {
    for (const [key, inner] of Object.entries(properties ?? {})) yield* placesOf(`${name}[${key}]`, inner);
  }
}
