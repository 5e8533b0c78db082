import type { Call } from '#contract/call.ts';
import { exampleOf } from './example.ts';
import { type JsonSchema, jsonSchemaOf, withoutJsonText } from './json-schema.ts';
import type { Parameter } from './openapi-document.ts';

/** Returns the parameters of a call that stand in one place of its requests. @param part their schema, if it has any */
export function parameters(place: Parameter['in'], part: Call['query'], now: number): Parameter[] {
  if (!part) return [];
  const schema = jsonSchemaOf(part, 'input', now);
  const examples = exampleOf(schema, 'input') as Record<string, unknown>;
  return Object.entries(schema.properties as Record<string, JsonSchema>).map(([name, property]) => {
    const { description, ...shape } = withoutJsonText(property);
    return {
      name: place === 'query' && shape.type === 'array' ? `${name}[]` : place === 'header' ? headerName(name) : name,
      in: place,
      required: schema.required?.includes(name) ?? false,
      ...(description && { description }),
      schema: shape,
      ...(examples[name] !== undefined && { example: examples[name] }),
      ...(place === 'query' && shape.type === 'object' && { style: 'deepObject', explode: true }),
    };
  });
}

/** Capitalises a header name as people write it: `idempotency-key` → `Idempotency-Key`. */
const headerName = (name: string): string => name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
