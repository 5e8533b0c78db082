import * as client from 'openid-client';
import { type Claims, GOOGLE_ISSUER, microsoftTenant, type Provider } from '#domain/account/company-identity.ts';
import { type Outbound, OutboundFault } from '../../platform/outbound/outbound.ts';

/** An account's registration with its provider, with the opened secret. */
export interface Registration {
  readonly provider: Provider;
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string;
}

/** Why an issuer cannot be used, in words of an admin. */
type IssuerFault = string;

/** The hosts that have a choice of their own, whose claims prove an address by other rules than `email_verified`. */
const HOSTS_OF_CHOICES: ReadonlyMap<string, IssuerFault> = new Map([
  ['accounts.google.com', 'Googleのアドレスです。提供元で「Google Workspace」を選んでください'],
  ['login.microsoftonline.com', 'Microsoftのアドレスです。提供元で「Microsoft Entra ID」を選んでください'],
  ['sts.windows.net', 'Microsoftのアドレスです。提供元で「Microsoft Entra ID」を選んでください'],
  [
    'login.live.com',
    'Microsoftの個人のアカウントは使えません。会社のものは、提供元で「Microsoft Entra ID」を選んでください',
  ],
]);

/** Returns why an issuer cannot be one of the provider; null: it can. */
export function issuerFault(provider: Provider, issuer: string): IssuerFault | null {
  if (provider === 'google') return issuer === GOOGLE_ISSUER ? null : `Googleでは ${GOOGLE_ISSUER} です`;
  if (provider === 'microsoft') {
    return microsoftTenant(issuer) === null
      ? '1つの会社のテナントIDを入力してください（common などは使えません）'
      : null;
  }
  const url = URL.parse(issuer);
  // openid-client would take a well-known address as it is, and compare no issuer.
  const isPlain = url?.protocol === 'https:' && !issuer.includes('/.well-known/') && !/[?#@\s]/.test(issuer);
  if (!isPlain) return 'https:// で始まるURLを入力してください（? や # は使えません）';
  return HOSTS_OF_CHOICES.get(url.hostname.replace(/\.$/, '')) ?? null;
}

const OUTBOUND_FAULTS: Readonly<Record<OutboundFault['reason'], IssuerFault>> = {
  not_https: 'https:// で始まるURLを入力してください',
  invalid_host: 'ホスト名を読み取れません。入力を確かめてください',
  no_address: 'ホスト名が見つかりません。入力を確かめてください',
  private_address: '社内のネットワークのアドレスには接続できません。インターネットから使えるURLを入力してください',
  unreachable: '接続できません。URLと証明書を確かめてください',
  redirect: 'ほかのアドレスに転送されます。転送先のIssuerを入力してください',
  too_large: '応答が大きすぎます。Issuerを確かめてください',
  timeout: '10秒以内に応答がありません。しばらくしてから、もう一度保存してください',
};

/** Reads the provider's own description of itself. @returns why it cannot be used; null: it can */
export async function discoveryFault(outbound: Outbound, issuer: string): Promise<IssuerFault | null> {
  try {
    await discover(outbound, issuer);
    return null;
  } catch (error) {
    const fault = outboundFaultOf(error);
    return fault === null
      ? 'このIssuerの設定情報（OpenID Connect Discovery）を読み取れません。URLを確かめてください'
      : OUTBOUND_FAULTS[fault.reason];
  }
}

function outboundFaultOf(error: unknown): OutboundFault | null {
  if (error instanceof OutboundFault) return error;
  return error instanceof Error && error.cause !== undefined ? outboundFaultOf(error.cause) : null;
}

/** Returns a code for the log: never a text of the provider, which could contain what it was sent. */
export function failureCode(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return outboundFaultOf(error)?.reason ?? String(code ?? name).slice(0, 60);
}

/** @throws for a provider that cannot be reached, or describes another issuer */
async function discover(outbound: Outbound, issuer: string): Promise<client.ServerMetadata> {
  const found = await client.discovery(new URL(issuer), 'unused', undefined, client.None(), {
    [client.customFetch]: fetchOf(outbound),
  });
  const metadata = found.serverMetadata();
  if (metadata.issuer !== issuer) throw new Error('the provider describes another issuer');
  // The browser is sent there: a `javascript:` address would run in our page.
  for (const endpoint of [metadata.authorization_endpoint, metadata.token_endpoint, metadata.jwks_uri]) {
    if (URL.parse(endpoint ?? '')?.protocol !== 'https:') throw new Error('an endpoint is missing or not https');
  }
  return metadata;
}

const fetchOf =
  (outbound: Outbound): client.CustomFetch =>
  (url, { method, headers, body }) =>
    outbound.fetch(url, { method, headers, body });

async function open(outbound: Outbound, registration: Registration): Promise<client.Configuration> {
  const metadata = await discover(outbound, registration.issuer);
  // The default of the specification, where the provider names no methods.
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const { client_id, client_secret } = registration;
  const proof = methods.includes('client_secret_post')
    ? client.ClientSecretPost(client_secret)
    : client.ClientSecretBasic(client_secret);
  const configuration = new client.Configuration(metadata, client_id, undefined, proof);
  configuration[client.customFetch] = fetchOf(outbound);
  // Else the signature of an ID token is trusted to TLS.
  client.enableNonRepudiationChecks(configuration);
  return configuration;
}

/** What a log-in on its way keeps here. */
export interface Kept {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
}

/** Returns the provider's page for a new log-in, and what its return is checked by. */
export async function authorizationUrl(
  outbound: Outbound,
  registration: Registration,
  redirect_uri: string,
): Promise<Kept & { readonly url: string }> {
  const configuration = await open(outbound, registration);
  const kept = { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() };
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri,
    scope: 'openid email profile',
    state: kept.state,
    nonce: kept.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(kept.verifier),
    code_challenge_method: 'S256',
    // Who is logged in privately alone would come back as nobody, again and again.
    ...(registration.provider !== 'other' && { prompt: 'select_account' }),
  });
  return { ...kept, url: url.href };
}

/**
 * Exchanges the code for an ID token, and checks it: issuer, audience, signature, times, nonce.
 * @param returned the redirect URI with `code`, `state` and `iss` as the provider returned them
 * @throws for all that does not fit
 */
export async function claimsOf(
  outbound: Outbound,
  registration: Registration,
  { returned, kept }: { readonly returned: URL; readonly kept: Kept },
): Promise<Claims> {
  const configuration = await open(outbound, registration);
  const tokens = await client.authorizationCodeGrant(configuration, returned, {
    expectedState: kept.state,
    expectedNonce: kept.nonce,
    pkceCodeVerifier: kept.verifier,
    idTokenExpected: true,
  });
  const claims: (Claims & { readonly sub: string }) | undefined = tokens.claims();
  if (claims === undefined) throw new Error('no ID token');
  const { userinfo_endpoint } = configuration.serverMetadata();
  if (registration.provider !== 'other' || claims.email !== undefined || userinfo_endpoint === undefined) {
    return claims;
  }
  // Some providers (Okta) tell the address there alone.
  return { ...claims, ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)) };
}
