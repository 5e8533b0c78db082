import { z } from 'zod';
import type { MailboxKind } from '#contract/senders/mailboxes-names.ts';
import { type Outbound, OutboundFault } from '../../platform/outbound/outbound.ts';

export type OAuthProvider = Exclude<MailboxKind, 'smtp'>;

/** An account's registration at a provider, with the opened secret. */
export interface OAuthApp {
  readonly provider: OAuthProvider;
  readonly clientId: string;
  /** Of Microsoft; null: of Google. */
  readonly tenant: string | null;
  readonly clientSecret: string;
}

/** The addresses of a provider, and what a consent asks for. */
interface Places {
  readonly authorize: string;
  readonly token: string;
  /** The scopes that sending and reading need, as the provider returns them. */
  readonly mail: readonly string[];
  readonly scope: string;
  readonly more: Readonly<Record<string, string>>;
}

const OUTLOOK_SCOPES = ['https://outlook.office.com/SMTP.Send', 'https://outlook.office.com/IMAP.AccessAsUser.All'];

/*
 * Fixed, without discovery: a renewal is one request then, and the provider's description of itself would be trusted
 * by TLS alone, as these addresses are.
 */
function placesOf({ provider, tenant }: Pick<OAuthApp, 'provider' | 'tenant'>): Places {
  if (provider === 'google') {
    return {
      authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
      token: 'https://oauth2.googleapis.com/token',
      mail: ['https://mail.google.com/'],
      scope: 'https://mail.google.com/ openid email',
      // Without both Google returns a refresh token at the first consent alone.
      more: { access_type: 'offline', prompt: 'consent' },
    };
  }
  const base = `https://login.microsoftonline.com/${encodeURIComponent(tenant ?? '')}/oauth2/v2.0`;
  return {
    authorize: `${base}/authorize`,
    token: `${base}/token`,
    mail: OUTLOOK_SCOPES,
    // `profile`, because preferred_username comes with it alone.
    scope: [...OUTLOOK_SCOPES, 'offline_access openid email profile'].join(' '),
    more: { response_mode: 'query' },
  };
}

const GOOGLE_REVOKE = 'https://oauth2.googleapis.com/revoke';

interface Asked {
  readonly redirectUri: string;
  readonly state: string;
  /** SHA-256 of the verifier (PKCE), base64url. */
  readonly challenge: string;
  /** The mailbox, so that the provider's page offers its owner. */
  readonly address: string;
}

/** Returns the provider's page that asks a person for the consent. */
export function consentUrl(
  app: Pick<OAuthApp, 'provider' | 'tenant' | 'clientId'>,
  { redirectUri, state, challenge, address }: Asked,
): string {
  const { authorize, scope, more } = placesOf(app);
  const query = new URLSearchParams({
    client_id: app.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    login_hint: address,
    ...more,
  });
  return `${authorize}?${query}`;
}

export interface Tokens {
  readonly accessToken: string;
  /** Seconds from the request. */
  readonly life: number;
  /** undefined: the former one stays. */
  readonly refreshToken: string | undefined;
  /** Whether sending and reading are permitted. */
  readonly mayMail: boolean;
  readonly idToken: string | undefined;
}

/**
 * A provider's refusal, as a code that names no secret. consent: the person must consent anew; app: the registration is
 * refused; other: neither.
 */
export interface TokenRefusal {
  readonly refused: 'consent' | 'app' | 'other';
  readonly code: string;
}

const REFUSALS: Readonly<Record<string, 'consent' | 'app'>> = {
  invalid_grant: 'consent',
  interaction_required: 'consent',
  consent_required: 'consent',
  login_required: 'consent',
  invalid_client: 'app',
  unauthorized_client: 'app',
};

/** The longest token: as SASL it must fit a line of IMAP. */
const MAX_TOKEN = 16_384;
/** Of a provider that names no life. */
const LIFE_SECONDS = 300;
const MAX_LIFE_SECONDS = 86_400;

const token = z.string().min(1).max(MAX_TOKEN);
const tokenAnswer = z.object({
  access_token: token,
  expires_in: z.coerce.number().positive().catch(LIFE_SECONDS),
  refresh_token: token.optional(),
  scope: z.string().optional(),
  id_token: z.string().optional(),
});
const refusal = z.object({ error: z.string(), error_description: z.string().catch('') });

/** Exchanges the code of a consent for tokens. */
export const exchangeCode = (
  outbound: Outbound,
  app: OAuthApp,
  returned: { readonly code: string; readonly redirectUri: string; readonly verifier: string },
): Promise<Tokens | TokenRefusal> =>
  askToken(outbound, app, {
    grant_type: 'authorization_code',
    code: returned.code,
    redirect_uri: returned.redirectUri,
    code_verifier: returned.verifier,
  });

/** Asks for a new access token. */
export const refreshTokens = (
  outbound: Outbound,
  app: OAuthApp,
  refreshToken: string,
): Promise<Tokens | TokenRefusal> =>
  askToken(outbound, app, { grant_type: 'refresh_token', refresh_token: refreshToken });

async function askToken(
  outbound: Outbound,
  app: OAuthApp,
  form: Readonly<Record<string, string>>,
): Promise<Tokens | TokenRefusal> {
  const { token: url, mail, scope: asked } = placesOf(app);
  const body = new URLSearchParams({ ...form, client_id: app.clientId, client_secret: app.clientSecret });
  const answer = await postForm(outbound, url, body);
  if (typeof answer === 'string') return { refused: 'other', code: answer };
  const tokens = tokenAnswer.safeParse(answer);
  if (!tokens.success) return refusalOf(answer);
  const { access_token, expires_in, refresh_token, scope = asked, id_token } = tokens.data;
  const granted = new Set(scope.toLowerCase().split(' '));
  return {
    accessToken: access_token,
    life: Math.min(expires_in, MAX_LIFE_SECONDS),
    refreshToken: refresh_token,
    mayMail: mail.every((one) => granted.has(one.toLowerCase())),
    idToken: id_token,
  };
}

/** @returns the JSON of the answer, or a code where there is none */
async function postForm(outbound: Outbound, url: string, body: URLSearchParams): Promise<object | string> {
  try {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    const response = await outbound.fetch(url, { method: 'POST', headers, body });
    return jsonIn(await response.text()) ?? `no_json_${response.status}`;
  } catch (error) {
    if (error instanceof OutboundFault) return error.reason;
    throw error;
  }
}

/** Returns the JSON object of a text; null: it is none. */
function jsonIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Names a refusal without the provider's text, which could contain what it was sent. */
function refusalOf(answer: object): TokenRefusal {
  const parsed = refusal.safeParse(answer);
  if (!parsed.success || !/^\w{1,60}$/.test(parsed.data.error)) return { refused: 'other', code: 'no_token' };
  const { error, error_description } = parsed.data;
  const [detail] = /\bAADSTS\d{1,9}\b/.exec(error_description) ?? [];
  return { refused: REFUSALS[error] ?? 'other', code: detail === undefined ? error : `${error} ${detail}` };
}

const claims = z.object({
  aud: z.string(),
  email: z.string().optional(),
  preferred_username: z.string().optional(),
});

/**
 * Reads who has consented. Not checked by its signature: it came by TLS from the provider itself, for our code and
 * secret (OpenID Connect Core 3.1.3.7), and names only whose mailbox it is, which its server asks again.
 * @returns null for a token of another client, or none
 */
export function addressesOf({ provider, clientId }: OAuthApp, idToken: string | undefined): readonly string[] | null {
  const [, payload = ''] = (idToken ?? '').split('.');
  const { data } = claims.safeParse(jsonIn(Buffer.from(payload, 'base64url').toString()));
  if (data?.aud !== clientId) return null;
  const named = provider === 'microsoft' ? [data.preferred_username, data.email] : [data.email];
  return named.filter((address) => address !== undefined);
}

/** Ends a consent at Google. Microsoft has no such call: its page for accounts does it. */
export async function revokeConsent(outbound: Outbound, provider: OAuthProvider, refreshToken: string): Promise<void> {
  if (provider === 'google') await postForm(outbound, GOOGLE_REVOKE, new URLSearchParams({ token: refreshToken }));
}
