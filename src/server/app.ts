import helmet from '@fastify/helmet';
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import qs from 'qs';
import { z } from 'zod';
import { addAccountRoutes } from './features/account/account.routes.ts';
import { addAttackListRoutes } from './features/attack-list/attack-list.routes.ts';
import { addAuthRoutes } from './features/auth/auth.routes.ts';
import { authenticateWith } from './features/auth/session.ts';
import { addProspectRoutes } from './features/prospects/prospects.routes.ts';
import { addSenderRoutes } from './features/senders/senders.routes.ts';
import { addSendingRoutes } from './features/sending/sending.routes.ts';
import { accountDbOf } from './platform/account-db.ts';
import type { Db } from './platform/db.ts';
import { addErrorAnswers } from './platform/http/errors.ts';
import { type AddRoute, routeAdder } from './platform/http/route.ts';
import { addWebFiles } from './platform/http/web-files.ts';

/** What features are given besides the account of a request. `now`: epoch milliseconds; leases alone go by the database's clock. */
export interface Services {
  /** A pool of the role kaitaku_login: accounts by address, sessions by token. */
  readonly login: Db;
  readonly now: () => number;
}

/** Every feature of the API, by name. */
const features: readonly ((addRoute: AddRoute, services: Services) => void)[] = [
  addAuthRoutes,
  addAccountRoutes,
  addSenderRoutes,
  addProspectRoutes,
  addAttackListRoutes,
  addSendingRoutes,
];

z.config(z.locales.ja());

/** Builds the web application; the caller listens (main.ts) or injects requests (tests). */
export async function buildApp(
  { api, ...services }: Services & { /** A pool of the role kaitaku_api. */ readonly api: Db },
  logger?: FastifyBaseLogger,
): Promise<FastifyInstance> {
  const app = fastify({
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    bodyLimit: 1024 * 1024,
    requestTimeout: 30_000,
    routerOptions: {
      ignoreTrailingSlash: true,
      querystringParser: (text) =>
        qs.parse(text, { depth: 3, arrayLimit: 100, parameterLimit: 200, strictDepth: false }),
    },
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  addErrorAnswers(app);
  await app.register(helmet, { ...SECURITY_HEADERS });
  app.addHook('onSend', async (request, reply) => {
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store');
  });
  const addRoute = routeAdder(app, { authenticate: authenticateWith(services), accountDb: accountDbOf(api) });
  for (const addFeature of features) addFeature(addRoute, services);
  await addWebFiles(app);
  return app;
}

/** No inline script or style, nothing from elsewhere. HSTS belongs to whoever speaks TLS in front of us. */
const SECURITY_HEADERS = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      frameSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
    },
  },
  strictTransportSecurity: false,
  referrerPolicy: { policy: 'no-referrer' },
} as const;
