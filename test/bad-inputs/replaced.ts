import type { Operation, Schema } from '../authorization/random-call.ts';

/** Returns the schemas that a value may match: itself, encoded as JSON, null, or one of several forms. */
const alternativesOf = (schema: Schema): readonly Schema[] => {
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return alternatives.length === 0 ? [schema] : alternatives.flatMap(alternativesOf);
};

/** Whether a schema permits a number. */
export const isNumber = (schema: Schema): boolean =>
  alternativesOf(schema).some(({ type }) =>
    ['integer', 'number'].some((number) => type === number || type?.includes(number)),
  );

/** Whether a value matches an object or list schema by its constant properties. */
function hasForm(value: unknown, { properties = {}, items }: Schema): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (items) return Array.isArray(value) && value.length > 0;
  return Object.entries(properties).every(
    ([key, { const: only }]) => only === undefined || (value as Record<string, unknown>)[key] === only,
  );
}

/** Makes a value from the reference's examples, with all required parts. */
function sampleOf(schema: Schema): unknown {
  const [form = schema] = alternativesOf(schema);
  const { const: only, enum: choices = [], properties, items, required = [] } = form;
  const [example = choices[0]] = schema.examples ?? form.examples ?? [];
  if (only !== undefined) return only;
  if (items) return hasForm(example, form) ? example : [sampleOf(items)];
  if (properties) return Object.fromEntries(required.map((key) => [key, sampleOf(properties[key] ?? {})]));
  return example ?? 'x';
}

interface Replaced {
  /** The path of the replaced part, such as `.add_info.id`. */
  readonly place: string;
  /** The whole value with that part replaced. */
  readonly value: unknown;
  /** The schema of that part. */
  readonly of: Schema;
}

/**
 * Yields a value with each of its parts replaced in turn, at any depth, in each form that its schema permits.
 * Optional parts that the value lacks are included.
 */
export function* replaced(value: unknown, by: unknown, schema: Schema = {}, place = ''): Generator<Replaced> {
  if (place !== '') yield { place, value: by, of: schema };
  const described = alternativesOf(schema).filter(({ properties, items }) => properties ?? items);
  for (const form of described.length > 0 ? described : [{}]) {
    yield* partsReplaced(hasForm(value, form) ? value : sampleOf(form), by, form, place);
  }
}

function* partsReplaced(whole: unknown, by: unknown, form: Schema, place: string): Generator<Replaced> {
  if (typeof whole !== 'object' || whole === null) return;
  const { properties, items } = form;
  for (const key of Object.keys({ ...properties, ...whole })) {
    const part = (whole as Record<string, unknown>)[key];
    for (const { value: inner, ...found } of replaced(part, by, properties?.[key] ?? items, `${place}.${key}`)) {
      yield { ...found, value: Array.isArray(whole) ? whole.with(Number(key), inner) : { ...whole, [key]: inner } };
    }
  }
}

/** Yields each parameter of a query, and each key of those that are objects, in the form of an address. */
export function* queryPlaces({ parameters = [] }: Operation): Generator<{ name: string; of: Schema }> {
  for (const { name, schema, in: place } of parameters) if (place === 'query') yield* placesOf(name, schema);
}

function* placesOf(name: string, schema: Schema): Generator<{ name: string; of: Schema }> {
  yield { name, of: schema };
  for (const { properties } of alternativesOf(schema)) {
    for (const [key, inner] of Object.entries(properties ?? {})) yield* placesOf(`${name}[${key}]`, inner);
  }
}

/** Yields the paths in a body that may have a number, named as in `replaced`. */
export function* numberPlaces(schema: Schema, place = ''): Generator<string> {
  if (isNumber(schema)) yield place;
  for (const { properties, items } of alternativesOf(schema)) {
    for (const [key, inner] of Object.entries(properties ?? {})) yield* numberPlaces(inner, `${place}.${key}`);
    if (items) yield* numberPlaces(items, `${place}.0`);
  }
}
