import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notFound } from '../refusal.ts';
import { sendRefusal } from './errors.ts';

const WEB = join(import.meta.dirname, '../../../../dist/web');

/** The built web client. Every path that is no file and no API call is one of its screens: it gets index.html. */
export async function addWebFiles(app: FastifyInstance, root = WEB): Promise<void> {
  const built = existsSync(join(root, 'index.html'));
  if (built) {
    await app.register(fastifyStatic, {
      root,
      index: ['index.html'],
      cacheControl: false,
      setHeaders: (response, path) => {
        // Files under assets/ carry a hash of their content in their name.
        const forever = path.startsWith(join(root, 'assets'));
        response.header('cache-control', forever ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
  }
  const isPage = ({ method, url }: FastifyRequest) =>
    built && (method === 'GET' || method === 'HEAD') && !/^\/(?:api|assets|health)\//.test(url);
  // Answered before a body is read: a visitor cannot make us parse one.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404 && !isPage(request)) return sendRefusal(reply, notFound());
  });
  app.setNotFoundHandler((request, reply) =>
    isPage(request) ? reply.sendFile('index.html') : sendRefusal(reply, notFound()),
  );
}
