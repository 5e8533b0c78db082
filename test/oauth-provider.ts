import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Outbound, outboundWith } from '#server/platform/outbound/outbound.ts';
import { type Certificate, selfSigned } from './certificate.ts';
import { serveZone } from './dns-zone.ts';
import { atFileEnd } from './file-end.ts';

export const OAUTH_CLIENT = { id: 'client of haru', secret: 'client secret & more' } as const;

/** The hosts of Google and Microsoft, of which tests reach none. */
const REAL_HOSTS = ['accounts.google.com', 'oauth2.googleapis.com', 'login.microsoftonline.com'];

type Form = Readonly<Record<string, string>>;

interface Grant {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scope: string;
}

/** Google and Microsoft on loopback: consents, tokens with any life, and their end. Each part may be broken. */
export interface OAuthStub {
  /** Reaches this provider in place of the real hosts, and servers on loopback. */
  readonly outbound: Outbound;
  /** Where it listens on loopback, with what it shows: for processes of their own. */
  readonly port: number;
  readonly certificate: Certificate;
  /** The claims of who consents. */
  who: Record<string, string>;
  /** The life of access tokens. */
  seconds: number;
  /** Whether each renewal returns another refresh token, as Microsoft's do; once: the former one ends then. */
  rotates: boolean | 'once';
  /** The scopes that a person grants; null: all that are asked for. */
  granted: string | null;
  /** Answers in place of the provider; returns false to let it. */
  instead: (path: string, form: Form, response: ServerResponse) => boolean | Promise<boolean>;
  /** The forms that were posted, with their paths. */
  readonly asked: { readonly path: string; readonly form: Form }[];
  /** Does what the page does: grants a code to who came from `url`, as the browser would carry it back. */
  grant(url: string): { readonly code: string; readonly state: string };
  /** Gives out a pair of tokens, as after a consent. */
  issue(): { readonly accessToken: string; readonly refreshToken: string };
  /** Whether an access token is valid now, as SMTP and IMAP servers ask. */
  accepts(accessToken: string): boolean;
  /** Ends all consents: no refresh token works, and no access token either. */
  revoke(): void;
}

const newToken = (what: string) => `${what}-${randomBytes(24).toString('base64url')}`;

/** Serves a provider until the end of the file. @param host the name in its certificate */
export async function serveOAuth(host = 'oauth.example'): Promise<OAuthStub> {
  const certificate = selfSigned({ host });
  const codes = new Map<string, Grant>();
  const refreshTokens = new Set<string>();
  /** When each access token ends. */
  const accessTokens = new Map<string, number>();

  const json = (response: ServerResponse, body: object, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  const access = (): string => {
    const token = newToken('access');
    accessTokens.set(token, Date.now() + stub.seconds * 1000);
    return token;
  };
  const refresh = (): string => {
    const token = newToken('refresh');
    refreshTokens.add(token);
    return token;
  };

  function exchange(form: Form, response: ServerResponse): unknown {
    const granted = codes.get(form.code ?? '');
    codes.delete(form.code ?? '');
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url');
    if (granted?.redirectUri !== form.redirect_uri || granted?.challenge !== challenge) {
      return json(response, { error: 'invalid_grant' }, 400);
    }
    const claims = Buffer.from(JSON.stringify({ aud: OAUTH_CLIENT.id, ...stub.who })).toString('base64url');
    return json(response, {
      access_token: access(),
      refresh_token: refresh(),
      expires_in: stub.seconds,
      token_type: 'Bearer',
      scope: stub.granted ?? granted?.scope,
      id_token: `e30.${claims}.signature`,
    });
  }

  function renew(form: Form, response: ServerResponse): unknown {
    if (!refreshTokens.has(form.refresh_token ?? '')) return json(response, { error: 'invalid_grant' }, 400);
    if (stub.rotates === 'once') refreshTokens.delete(form.refresh_token ?? '');
    const rotated = stub.rotates && { refresh_token: refresh() };
    return json(response, { access_token: access(), expires_in: stub.seconds, token_type: 'Bearer', ...rotated });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { pathname } = new URL(request.url ?? '/', 'https://oauth.example');
    const text = Buffer.concat(await request.toArray()).toString();
    const form = Object.fromEntries(new URLSearchParams(text));
    stub.asked.push({ path: pathname, form });
    if (await stub.instead(pathname, form, response)) return;
    if (pathname.endsWith('/revoke')) {
      stub.revoke();
      return json(response, {});
    }
    if (!pathname.endsWith('/token')) return response.writeHead(404).end();
    const isClient = form.client_id === OAUTH_CLIENT.id && form.client_secret === OAUTH_CLIENT.secret;
    if (!isClient) return json(response, { error: 'invalid_client', error_description: 'AADSTS7000215: wrong' }, 401);
    return form.grant_type === 'refresh_token' ? renew(form, response) : exchange(form, response);
  }

  const server = createServer(certificate, (request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  server.unref();
  atFileEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const zone = await serveZone({ [`A ${host}`]: ['127.0.0.1'] });
  const real = outboundWith({ dnsServers: [zone.server], mayReach: () => true, ca: certificate.cert });

  const stub: OAuthStub = {
    outbound: {
      ...real,
      fetch(href, init) {
        const url = new URL(href);
        if (!REAL_HOSTS.includes(url.host)) throw new Error(`not stubbed: ${href}`);
        return real.fetch(`https://${host}:${port}${url.pathname}${url.search}`, init);
      },
    },
    port,
    certificate,
    who: {},
    seconds: 3600,
    rotates: false,
    granted: null,
    instead: () => false,
    asked: [],
    grant(href) {
      const { searchParams } = new URL(href);
      const of = (name: string) => searchParams.get(name) ?? '';
      if (of('code_challenge_method') !== 'S256' || of('response_type') !== 'code') throw new Error(href);
      const code = newToken('code');
      codes.set(code, { redirectUri: of('redirect_uri'), challenge: of('code_challenge'), scope: of('scope') });
      return { code, state: of('state') };
    },
    issue: () => ({ accessToken: access(), refreshToken: refresh() }),
    accepts: (token) => (accessTokens.get(token) ?? 0) > Date.now(),
    revoke() {
      refreshTokens.clear();
      accessTokens.clear();
    },
  };
  return stub;
}
