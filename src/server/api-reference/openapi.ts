import { readFileSync } from 'node:fs';
import { API_BASE, type Call } from '#contract/call.ts';
import { errorAnswer } from '#contract/wire.ts';
import { PACKAGE, VERSION } from '../platform/package.ts';
import { errorsOf } from './common-errors.ts';
import { type JsonSchema, jsonSchemaOf, type Side, withoutJsonText } from './json-schema.ts';
import type { Media, OpenApiDocument, Operation, Parameter, Response } from './openapi-document.ts';
import { TAGS, tagOf } from './tags.ts';

/**
 * Returns the reference of these calls, with examples for the day of `now`.
 * @throws if a call's schema or path cannot be expressed
 */
export function openApiDocument(calls: readonly Call[], now: number): OpenApiDocument {
  const ofCalls = calls.map((call) => [pathOf(call), call.method.toLowerCase(), operation(call, now)] as const);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [path, method, described] of ofCalls) paths[path] = { ...paths[path], [method]: described };
  const used = new Set(ofCalls.flatMap(([, , { tags }]) => tags));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Kaitaku API',
      version: VERSION,
      description: readFileSync(PACKAGE.apiConventions, 'utf8'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: API_BASE }],
    security: [{ bearer: [] }],
    tags: TAGS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: '`POST /auth/login` の答えの `token` です。' },
      },
      schemas: { Error: jsonSchemaOf(errorAnswer, 'output', now) },
    },
  };
}

const pathOf = ({ path }: Call): string => path.replace(/:(\w+)/g, '{$1}');

/** Derives the id from method and path, so that it stays stable: `putReservationById`. */
const operationId = ({ method, path }: Call): string =>
  method.toLowerCase() +
  path
    .replace(/:(\w+)/g, 'by_$1')
    .split(/[/_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** The schema of a body or answer of bytes. */
const BYTES: JsonSchema = { type: 'string', format: 'binary', description: 'ファイルの一部です。' };

/** Returns the body of a call: JSON, bytes, or none. */
function requestBody({ body, maxRawBytes }: Call, now: number): Pick<Operation, 'requestBody'> {
  if (maxRawBytes) {
    return { requestBody: { required: true, content: { 'application/octet-stream': { schema: BYTES } } } };
  }
  if (!body) return {};
  const content = { 'application/json': media(jsonSchemaOf(body, 'input', now), 'input') };
  return { requestBody: { required: true, content } };
}

function operation(call: Call, now: number): Operation {
  const { auth, audience, summary, description, params, query, headers, response, isList } = call;
  return {
    operationId: operationId(call),
    // No page has the calls of our screens. Tests describe them too, to make requests from their schemas.
    tags: audience === undefined ? [] : [tagOf(call.path)],
    summary,
    ...(description && { description }),
    ...(auth !== undefined && { security: [] }),
    parameters: [
      ...parameters('path', params, now),
      ...parameters('query', query, now),
      ...parameters('header', headers, now),
    ],
    ...requestBody(call, now),
    responses: {
      200: {
        description: '成功',
        ...(isList && { headers: LIST_HEADERS }),
        content: {
          [mediaTypeOf(call)]: media(jsonSchemaOf(response, 'output', now), 'output'),
        },
      },
      ...errorResponses(call),
    },
  };
}

function mediaTypeOf({ isStream, isFile }: Call): string {
  if (isFile) return 'application/octet-stream';
  return isStream ? 'text/event-stream' : 'application/json';
}

const media = (schema: JsonSchema, side: 'input' | 'output'): Media => ({ schema, example: exampleOf(schema, side) });

/** Returns the single media type of a body or response. */
export const mediaOf = ({ content }: Pick<Response, 'content'>): Media => Object.values(content)[0] as Media;

function errorResponses(call: Call): Record<string, Response> {
  const byStatus = Object.groupBy(errorsOf(call), ({ status }) => status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, cases = []]) => {
      const codes = cases.map(({ code, when }) => ({ const: code, description: when }));
      const schema = { $ref: '#/components/schemas/Error', properties: { code: { oneOf: codes } } };
      return [
        status,
        {
          description: cases.map(({ code, when }) => `- \`${code}\`: ${when}`).join('\n'),
          ...(['429', '503'].includes(status) && { headers: { 'Retry-After': RETRY_AFTER } }),
          content: { 'application/json': { schema } },
        },
      ];
    }),
  );
}

const LIST_HEADERS = {
  'X-Total-Count': { description: '条件に合う全体の件数です。', schema: { type: 'integer', minimum: 0 } },
  Link: {
    description: '続きがあるときだけ、次のページを `<…>; rel="next"` の形で返します。',
    schema: { type: 'string' },
  },
};

const RETRY_AFTER = { description: '次に試すまでの秒数です。', schema: { type: 'integer', minimum: 1 } };

/** Returns the parameters in one place of a call's requests. @param part their schema, if any */
function parameters(place: Parameter['in'], part: Call['query'], now: number): Parameter[] {
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

/**
 * Returns a value that fits the schema: its own first example, or one built from its parts. An input example omits
 * optional fields without an example; an output example has all fields.
 */
function exampleOf(schema: JsonSchema, side: Side): unknown {
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
