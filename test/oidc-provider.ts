import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Outbound, outboundWith } from '#server/platform/outbound/outbound.ts';
import { isPublicAddress } from '#server/platform/outbound/public-address.ts';
import { type Certificate, selfSigned } from './certificate.ts';
import { type DnsZone, serveZone } from './dns-zone.ts';
import { atFileEnd } from './file-end.ts';

export const CLIENT_ID = 'kaitaku at haru';
export const CLIENT_SECRET = 'client secret & more';

type Claims = Record<string, unknown>;

/** What the provider keeps of a log-in between its page and the exchange of the code. */
interface Granted {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
}

/** A provider of ours on loopback, whose every part a test may break. */
export interface StubProvider {
  readonly issuer: string;
  readonly host: string;
  readonly port: number;
  readonly zone: DnsZone;
  readonly certificate: Certificate;
  /** Reaches this provider, and nothing else on loopback. */
  readonly outbound: Outbound;
  /** Who is logged in there. */
  who: Claims;
  /** Changes the claims of the next ID tokens. */
  claims: (claims: Claims) => Claims;
  /** Changes the finished ID token. */
  token: (token: string, claims: Claims) => string;
  /** Changes the description of the provider. */
  metadata: (metadata: Claims) => Claims;
  /** Answers any request instead of the provider; returns false to let it. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Signs from now on with another key, which the provider publishes. */
  rotate(): void;
  /** Returns the public key that it publishes. */
  key(): object;
  /** Signs a token with a key, with the present one's name. */
  sign(claims: Claims, key?: KeyObject, header?: Claims): string;
  /** Does what its page does: grants a code to who came from `url`, as the browser would carry it back. */
  grant(url: string): { readonly code: string; readonly state: string };
  /** The paths that were asked for. */
  readonly asked: string[];
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const newKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Serves a provider until the end of the file. @param host a name that only its DNS knows */
export async function serveProvider(host = 'idp.haru.example'): Promise<StubProvider> {
  const certificate = selfSigned({ host });
  const codes = new Map<string, Granted>();
  let keys = newKeys();
  let kid = 'first';

  const server = createServer(certificate, (request, response) => {
    provider.asked.push(request.url ?? '');
    if (!provider.instead(request, response)) void answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  server.unref();
  atFileEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const issuer = `https://${host}:${port}`;
  const zone = await serveZone({ [`A ${host}`]: ['127.0.0.1'] });

  const json = (response: ServerResponse, body: object, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? '/', issuer);
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json(response, provider.metadata(description(issuer)));
      case '/keys':
        return json(response, { keys: [provider.key()] });
      case '/authorize': {
        const back = new URL(url.searchParams.get('redirect_uri') ?? '');
        for (const [name, value] of Object.entries(provider.grant(url.href))) back.searchParams.set(name, value);
        const escaped = back.href.replaceAll('&', '&amp;');
        return response
          .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
          .end(`<title>会社のログイン</title><a href="${escaped}">続ける</a>`);
      }
      case '/token':
        return exchange(request, response);
      default:
        return response.writeHead(404).end();
    }
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const code = form.get('code') ?? '';
    const granted = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const fits =
      form.get('client_id') === CLIENT_ID &&
      form.get('client_secret') === CLIENT_SECRET &&
      form.get('redirect_uri') === granted?.redirectUri &&
      challenge === granted.challenge;
    if (!fits || !granted) return json(response, { error: 'invalid_grant' }, 400);
    const now = Math.floor(Date.now() / 1000);
    const claims = provider.claims({
      iss: issuer,
      aud: CLIENT_ID,
      sub: '1',
      iat: now,
      exp: now + 300,
      nonce: granted.nonce,
      ...provider.who,
    });
    const id_token = provider.token(provider.sign(claims), claims);
    return json(response, { access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token });
  }

  const provider: StubProvider = {
    issuer,
    host,
    port,
    zone,
    certificate,
    outbound: outboundWith({
      dnsServers: [zone.server],
      mayReach: (address) => isPublicAddress(address) || address === '127.0.0.1',
      ca: certificate.cert,
    }),
    who: {},
    claims: (claims) => claims,
    token: (token) => token,
    metadata: (metadata) => metadata,
    instead: () => false,
    asked: [],
    rotate() {
      keys = newKeys();
      kid = 'second';
    },
    key: () => ({ ...keys.publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }),
    sign(claims, key = keys.privateKey, header = { alg: 'RS256', kid }) {
      const text = `${base64url(header)}.${base64url(claims)}`;
      return `${text}.${createSign('sha256').update(text).sign(key, 'base64url')}`;
    },
    grant(href) {
      const { searchParams } = new URL(href);
      const of = (name: string) => searchParams.get(name) ?? '';
      if (of('code_challenge_method') !== 'S256' || of('response_type') !== 'code') throw new Error(href);
      const code = randomBytes(16).toString('base64url');
      codes.set(code, { redirectUri: of('redirect_uri'), challenge: of('code_challenge'), nonce: of('nonce') });
      return { code, state: of('state') };
    },
  };
  return provider;
}

const description = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
});
