import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../metrics.ts';

/**
 * One line and one observation a request. A route is named by its template, never by the URL asked for: filters hold
 * names and addresses, and the page of a confirmation has its secret in the path.
 */
export function addRequestLog(app: FastifyInstance, metrics: Metrics | undefined): void {
  app.addHook('onResponse', async (request, reply) => {
    logRequest(request, reply);
    const route = request.routeOptions.url ?? 'none';
    const labels = { method: request.method, route, status: reply.statusCode };
    metrics?.requests.observe(labels, reply.elapsedTime / 1000);
  });
}

export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { method, routeOptions, url } = request;
  const ms = Math.round(reply.elapsedTime);
  request.log.info(
    { method, path: apiRoute(routeOptions.url) ?? shortened(url), status: reply.statusCode, ms },
    'request',
  );
}

/** `/*` is every file of the web client. */
const apiRoute = (route: string | undefined): string | null => (route === undefined || route === '/*' ? null : route);

/** `/confirmation/<secret>?x=1` → `/confirmation/…`: a first part that is a plain word, and nothing after it. */
function shortened(url: string): string {
  const [first = '', ...rest] = (url.split(/[?#]/)[0] ?? '').replace(/^\//, '').split('/');
  return `/${/^[a-z_]{0,20}$/.test(first) ? first : '…'}${rest.length > 0 ? '/…' : ''}`;
}
