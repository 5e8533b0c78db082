import { z } from 'zod';

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1. Our calls use no boolean schemas. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The side of a schema: 'input' describes requests, 'output' answers. */
export type Side = 'input' | 'output';

/**
 * Converts a zod schema to JSON Schema, with our meta fields.
 * @param now the time after which examples of future times are
 * @throws for a schema that JSON Schema cannot express and whose meta has no `documentedAs` (contract/wire.ts)
 */
export function jsonSchemaOf(schema: z.ZodType, side: Side, now: number): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io: side,
    override: ({ zodSchema, jsonSchema }) => {
      const { documentedAs, exampleAt, ...meta } = z.globalRegistry.get(zodSchema) ?? {};
      if (documentedAs instanceof z.ZodType) replace(jsonSchema, jsonSchemaOf(documentedAs, side, now));
      // Assigned again: zod drops the examples and defaults of a transformed schema, because they might belong to the
      // other side. Ours do not.
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

/** Removes the bounds of JavaScript's safe integers, which do not help a reader. */
function dropSafeBounds(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** Returns the alternatives of a schema, with nested ones flattened; the schema itself if it has none. */
export function branches(schema: JsonSchema): JsonSchema[] {
  if (!schema.anyOf) return [schema];
  return (schema.anyOf as JsonSchema[]).flatMap<JsonSchema>((branch) =>
    Object.keys(branch).length === 1 ? branches(branch) : [branch],
  );
}

/** Returns whether a schema is the JSON text of a value (contract/list.ts). */
export const isJsonText = (schema: JsonSchema): boolean => schema.contentMediaType === 'application/json';

/**
 * Removes the JSON text from a parameter's alternatives. OpenAPI has one form for a parameter, so the description
 * mentions the other.
 */
export function withoutJsonText(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const kept = branches(schema).filter((branch) => !isJsonText(branch));
  if (!anyOf || kept.length === anyOf.length) return schema;
  return kept.length === 1 ? { ...kept[0], ...rest } : { ...rest, anyOf: kept };
}
