import type { FastifyInstance } from 'fastify';
import { API_BASE } from '#contract/call.ts';

/** The route table of a built application as Fastify itself tells it: `GET /path`, HEAD left out (it goes with GET). */
export function routeTable(app: FastifyInstance): string[] {
  // Without common prefixes each line is a whole route: `├── /api/v1/account/:id (GET, HEAD)`.
  const lines = app.printRoutes({ commonPrefix: false }).split('\n');
  return lines
    .flatMap((line) => {
      const route = /^[^/*]*([/*]\S*) \(([A-Z, ]+)\)$/.exec(line);
      return (route?.[2] ?? '').split(', ').map((method) => `${method} ${route?.[1]}`);
    })
    .filter((route) => !route.startsWith('HEAD ') && !route.startsWith(' '));
}

/** The calls of the API among them, their paths below API_BASE. */
export const apiRoutes = (app: FastifyInstance): string[] =>
  routeTable(app)
    .filter((route) => route.includes(` ${API_BASE}/`))
    .map((route) => route.replace(API_BASE, ''));
