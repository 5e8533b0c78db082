import { z } from 'zod';

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1; it has no boolean schemas where a call has none. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** What a call takes is told by the input side of its schemas, what it answers by the output side. */
export type Side = 'input' | 'output';

/**
 * @param now for the examples that lie ahead of it.
 * @throws for a schema that JSON Schema cannot say and whose meta has no `documentedAs` (contract/wire.ts)
 */
export function jsonSchemaOf(schema: z.ZodType, side: Side, now: number): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io: side,
    override: ({ zodSchema, jsonSchema }) => {
      const { documentedAs, exampleAt, ...meta } = z.globalRegistry.get(zodSchema) ?? {};
      if (documentedAs instanceof z.ZodType) replace(jsonSchema, jsonSchemaOf(documentedAs, side, now));
      // Again: zod drops the examples and defaults of what it transforms, as they might be of the other side. Ours are
      // not.
      Object.assign(jsonSchema, meta);
      delete jsonSchema.exampleAt;
      if (typeof exampleAt === 'function') jsonSchema.examples = [exampleAt(now)];
      const { def } = zodSchema._zod;
      if (def.type === 'default') jsonSchema.default = def.defaultValue;
      dropSafeBounds(jsonSchema);
      if (jsonSchema.anyOf) jsonSchema.anyOf = branches(jsonSchema) as typeof jsonSchema.anyOf;
    },
  });
  return json;
}

function replace(target: JsonSchema, source: JsonSchema): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, source);
}

/** The bounds of what a JavaScript number can hold say nothing to a reader. */
function dropSafeBounds(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** The alternatives of a schema, those of an alternative that is nothing else among them; itself where it has none. */
export function branches(schema: JsonSchema): JsonSchema[] {
  if (!schema.anyOf) return [schema];
  return (schema.anyOf as JsonSchema[]).flatMap<JsonSchema>((branch) =>
    Object.keys(branch).length === 1 ? branches(branch) : [branch],
  );
}

/** A value that may also come as a JSON text (contract/wire.ts): that text's schema. */
export const isJsonText = (schema: JsonSchema): boolean => schema.contentMediaType === 'application/json';

/** OpenAPI has one way to write a parameter. Where JSON text is another one, the description tells it. */
export function withoutJsonText(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const kept = branches(schema).filter((branch) => !isJsonText(branch));
  if (!anyOf || kept.length === anyOf.length) return schema;
  return kept.length === 1 ? { ...kept[0], ...rest } : { ...rest, anyOf: kept };
}
