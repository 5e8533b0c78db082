import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PACKAGE } from '../package.ts';
import { notFound } from '../problem.ts';
import { sendProblem } from './errors.ts';
import { escapeHtml } from './html.ts';
import { contentSecurityPolicy } from './security-headers.ts';

/** Settings that the pages read from <meta> elements, by name. */
export type PageSettings = Readonly<Record<string, string>>;

const fillIn = (html: string, settings: PageSettings): string =>
  html.replace(/(<meta name="([\w-]+)" content=")[^"]*/g, (all, before: string, name: string) =>
    settings[name] === undefined ? all : before + escapeHtml(settings[name]),
  );

/** Returns the hashes of the inline scripts in a page of the build. */
const inlineScriptHashes = (html: string): string[] =>
  [...html.matchAll(/<script\b(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `sha256-${createHash('sha256').update(script).digest('base64')}`,
  );

/** Serves the built web client. Every path that is neither a file nor an API call is a screen, and gets index.html. */
export async function addWebFiles(
  app: FastifyInstance,
  settings: PageSettings = {},
  root = PACKAGE.web,
): Promise<void> {
  const index = join(root, 'index.html');
  const built = existsSync(index);
  // Read for each request, like the other files, because the client may have been rebuilt.
  const sendPage = async (_request: FastifyRequest, reply: FastifyReply) => {
    const html = await readFile(index, 'utf8');
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .header('content-security-policy', contentSecurityPolicy(inlineScriptHashes(html)))
      .send(fillIn(html, settings));
  };
  if (built) {
    for (const url of ['/', '/index.html']) app.route({ method: ['GET', 'HEAD'], url, handler: sendPage });
    await app.register(fastifyStatic, {
      root,
      index: false,
      cacheControl: false,
      // The build makes the .br and .gz files (vite.config.ts).
      preCompressed: true,
      setHeaders: (response, path) => {
        // Files under assets/ have a content hash in their name.
        const forever = path.startsWith(join(root, 'assets'));
        response.header('cache-control', forever ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
  }
  const isPage = ({ method, url }: FastifyRequest) =>
    built && (method === 'GET' || method === 'HEAD') && !/^\/+(?:api|assets|health)\//.test(url);
  // Answered before the body is read, so that no visitor makes the server parse one.
  app.addHook('onRequest', async (request, reply) => {
    // The files' plugin refuses empty segments, which no file has. The client reads `//login` as `/login`.
    if (isPage(request) && /^[^?]*\/\//.test(request.url)) return sendPage(request, reply);
    if (request.is404 && !isPage(request)) return sendProblem(reply, notFound());
  });
  app.setNotFoundHandler((request, reply) =>
    isPage(request) ? sendPage(request, reply) : sendProblem(reply, notFound()),
  );
}
