import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { API_BASE, type Call } from '#contract/call.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { PACKAGE } from '../platform/package.ts';
import type { JsonSchema } from './json-schema.ts';
import { openApiDocument } from './openapi.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { DOCUMENT_PATH, referencePage, SCRIPT_PATH, STYLE_PATH } from './page.ts';

/** Schemas of the document by name. */
type NamedSchemas = Record<string, JsonSchema>;

const STYLE = readFileSync(PACKAGE.apiStyle, 'utf8');
const SCRIPT = readFileSync(PACKAGE.apiScript, 'utf8');

/**
 * Serves the API's reference to everyone: it contains no account's data. It describes every call for integrators that
 * is registered after this. It is generated on the first request of each day, so that the dates of its examples are in
 * the future.
 * @param publicUrl the URL of this program for users, which the examples call
 */
export function addApiReference(
  app: FastifyInstance,
  { publicUrl, now }: { readonly publicUrl: string; readonly now: () => number },
): void {
  const calls = new Set<Call>();
  app.addHook('onRoute', ({ config }) => {
    if (config?.call?.audience === 'integrator') calls.add(config.call);
  });

  let made: { day: string; document: string; page: string } | undefined;
  const reference = () => {
    const day = dayOf(now());
    if (made?.day === day) return made;
    const document = openApiDocument([...calls], now());
    made = {
      day,
      document: JSON.stringify(withNamedSchemas(document)),
      page: referencePage(document, publicUrl + API_BASE),
    };
    return made;
  };

  app.get(DOCUMENT_PATH, (_request, reply) => reply.type('application/json; charset=utf-8').send(reference().document));
  app.get(`${API_BASE}/docs`, (_request, reply) => reply.type('text/html; charset=utf-8').send(reference().page));
  app.get(SCRIPT_PATH, (_request, reply) => reply.type('text/javascript; charset=utf-8').send(SCRIPT));
  app.get(STYLE_PATH, (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE));
}

/**
 * Replaces each schema that has a `schemaName` (contract) by a reference, and adds those schemas to `found`. A field's
 * own description and examples stay beside its reference.
 * @throws if two different schemas have one name
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
function withNamedSchemas(document: OpenApiDocument): OpenApiDocument {
  const found: NamedSchemas = {};
  const paths = withReferences(document.paths, found);
  const { schemas, ...components } = document.components;
  const named = Object.fromEntries(Object.entries(found).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return { ...document, paths, components: { ...components, schemas: { ...schemas, ...named } } };
}
