import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from './json-schema.ts';
import type { OpenApiDocument } from './openapi-document.ts';

/** Schemas of the document by name. */
type NamedSchemas = Record<string, JsonSchema>;

/**
 * Replaces each schema that has a `schemaName` (contract) by a reference. It adds those schemas to `found`. A field's
 * own description and examples stay beside its reference.
 * @throws where two different schemas have one name
 */
function withReferences<Part>(part: Part, found: NamedSchemas): Part {
  if (Array.isArray(part)) return part.map((item: unknown) => withReferences(item, found)) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const inner = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withReferences(value, found)]));
  if (typeof inner.schemaName !== 'string') return inner as Part;
  const { schemaName, description, examples, ...shape } = inner;
  const known = found[schemaName];
  if (known !== undefined && !isDeepStrictEqual(known, shape)) throw new Error(`${schemaName} names two schemas`);
  found[schemaName] = shape as JsonSchema;
  const kept = { ...(description !== undefined && { description }), ...(examples !== undefined && { examples }) };
  return { $ref: `#/components/schemas/${schemaName}`, ...kept } as Part;
}

/** Returns the document for programs: each shared schema appears once, under its name. */
export function withNamedSchemas(document: OpenApiDocument): OpenApiDocument {
  const found: NamedSchemas = {};
  const paths = withReferences(document.paths, found);
  const { schemas, ...components } = document.components;
  const named = Object.fromEntries(Object.entries(found).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return { ...document, paths, components: { ...components, schemas: { ...schemas, ...named } } };
}
