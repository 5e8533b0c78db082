import type { FastifyInstance } from 'fastify';
import { API_BASE } from '#contract/call.ts';

/** The route table of a built application as Fastify itself tells it: `GET /path`, HEAD left out (it goes with GET). */
export function routeTable(app: FastifyInstance): string[] {
  // A tree: `├── /api/v1/send_log (POST)`, and a step to the right below it `│   └── /:id (GET)`, which goes on with
  // its path.
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

/** Open pages that tell about the calls, and hold no data. */
const REFERENCE = new Set(['GET /openapi.json', 'GET /docs', 'GET /docs.css', 'GET /docs.js']);

/** The calls of the API among them, their paths below API_BASE. */
export const apiRoutes = (app: FastifyInstance): string[] =>
  routeTable(app)
    .filter((route) => route.includes(` ${API_BASE}/`))
    .map((route) => route.replace(API_BASE, ''))
    .filter((route) => !REFERENCE.has(route));
