import type { FastifyInstance } from 'fastify';
import { API_BASE } from '#contract/call.ts';

/** Returns the routes of a built application as Fastify prints them: `GET /path`, without HEAD. */
export function routeTable(app: FastifyInstance): string[] {
  // The tree has `├── /api/v1/send_log (POST)`, and one level below `│   └── /:id (GET)`, which continues its path.
  const parents: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([│ ]*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
      const depth = indent.length / 4;
      const path = (parents[depth - 1] ?? '') + part;
      parents.splice(depth, Number.POSITIVE_INFINITY, path);
      return methods.split(', ').flatMap((method) => (['', 'HEAD'].includes(method) ? [] : [`${method} ${path}`]));
    });
}

/** Public pages that describe the calls, without data. */
const REFERENCE = new Set(['GET /openapi.json', 'GET /docs', 'GET /docs.css', 'GET /docs.js']);

/** Returns the calls of the API, with paths relative to API_BASE. */
export const apiRoutes = (app: FastifyInstance): string[] =>
  routeTable(app)
    .filter((route) => route.includes(` ${API_BASE}/`))
    .map((route) => route.replace(API_BASE, ''))
    .filter((route) => !REFERENCE.has(route));
