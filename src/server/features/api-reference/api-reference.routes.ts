import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { API_BASE, type Call } from '#contract/call.ts';
import { withNamedSchemas } from './named-schemas.ts';
import { openApiDocument } from './openapi.ts';
import { DOCUMENT_PATH, referencePage, STYLE_PATH } from './page.ts';

const STYLE = readFileSync(join(import.meta.dirname, 'docs.css'), 'utf8');

/**
 * The API's reference, open to everyone: it holds no data. It tells of every call that is registered after this, and is made when
 * somebody first asks for it.
 * @param publicUrl where users reach this program: the examples call it
 */
export function addApiReference(app: FastifyInstance, { publicUrl }: { publicUrl: string }): void {
  const calls = new Set<Call>();
  app.addHook('onRoute', ({ config }) => {
    if (config?.call) calls.add(config.call);
  });

  let made: { document: string; page: string } | undefined;
  const reference = () => {
    if (made) return made;
    const document = openApiDocument([...calls]);
    made = {
      document: JSON.stringify(withNamedSchemas(document)),
      page: referencePage(document, publicUrl + API_BASE),
    };
    return made;
  };

  app.get(DOCUMENT_PATH, (_request, reply) => reply.type('application/json; charset=utf-8').send(reference().document));
  app.get(`${API_BASE}/docs`, (_request, reply) => reply.type('text/html; charset=utf-8').send(reference().page));
  app.get(STYLE_PATH, (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE));
}
