import type { JsonSchema, Side } from './json-schema.ts';

/**
 * Returns a value that fits the schema: its own first example, or one built from its parts. An input example omits
 * optional fields that have no example; an output example has all fields.
 */
export function exampleOf(schema: JsonSchema, side: Side): unknown {
  if (schema.examples?.length) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return exampleOf(schema.anyOf[0] as JsonSchema, side);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return objectExample(schema, side);
    case 'array':
      return [exampleOf(schema.items as JsonSchema, side)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    case 'string':
      return '文字列';
    default:
      return null;
  }
}

function objectExample(schema: JsonSchema, side: Side): unknown {
  const { properties = {}, required = [], additionalProperties } = schema;
  const shown = Object.entries(properties as Record<string, JsonSchema>).filter(
    ([name, property]) => side === 'output' || required.includes(name) || hasExample(property),
  );
  // A record lists its keys in `required`, and its values share one schema.
  const alike =
    typeof additionalProperties === 'object' ? required.map((name) => [name, additionalProperties] as const) : [];
  return Object.fromEntries([...shown, ...alike].map(([name, property]) => [name, exampleOf(property, side)]));
}

function hasExample(schema: JsonSchema): boolean {
  const { examples, properties = {}, items, anyOf = [] } = schema;
  const parts = [...Object.values(properties), ...anyOf, ...(items ? [items] : [])] as JsonSchema[];
  return examples !== undefined || parts.some(hasExample);
}
