import { describe, expect, test } from 'vitest';
import { type Claims, microsoftTenant, type Provider, provenAddress } from './company-identity.ts';

const TENANT = '0b2c4d6e-1111-4222-8333-444455556666';
const ISSUERS: Record<Provider, string> = {
  google: 'https://accounts.google.com',
  microsoft: `https://login.microsoftonline.com/${TENANT}/v2.0`,
  other: 'https://idp.haru.example',
};
const prove = (provider: Provider, claims: Claims, domains = ['haru.example']) =>
  provenAddress({ provider, issuer: ISSUERS[provider], domains }, claims);

const RIGHT = { email: 'Suzuki@Haru.example', email_verified: true };
const MICROSOFT = { preferred_username: 'suzuki@haru.example', tid: TENANT, iss: ISSUERS.microsoft };

describe('the address that claims prove', () => {
  test.each([
    ['other', RIGHT],
    ['google', { ...RIGHT, hd: 'haru.example' }],
    ['google', { ...RIGHT, hd: 'main-domain.example' }],
    ['microsoft', MICROSOFT],
    ['microsoft', { ...MICROSOFT, idp: ISSUERS.microsoft, acct: 0 }],
  ] as const)('%s: %o', (provider, claims) => expect(prove(provider, claims)).toBe('suzuki@haru.example'));

  test('of a domain that Google itself gives needs no Workspace', () =>
    expect(prove('google', { email: 'a@gmail.com', email_verified: true }, ['gmail.com'])).toBe('a@gmail.com'));

  test.each([
    ['other', 'not verified', { ...RIGHT, email_verified: false }],
    ['other', 'not said to be verified', { email: RIGHT.email }],
    ['other', 'verified in words', { ...RIGHT, email_verified: 'true' }],
    ['other', 'verified as a number', { ...RIGHT, email_verified: 1 }],
    ['other', 'a name beside the address', { preferred_username: 'suzuki@haru.example', email_verified: true }],
    ['other', 'another domain', { ...RIGHT, email: 'suzuki@natsu.example' }],
    ['other', 'a domain below', { ...RIGHT, email: 'suzuki@x.haru.example' }],
    ['other', 'a domain with a longer beginning', { ...RIGHT, email: 'suzuki@evilharu.example' }],
    ['other', 'two @', { ...RIGHT, email: 'a@evil.example@haru.example' }],
    ['other', 'a final dot', { ...RIGHT, email: 'suzuki@haru.example.' }],
    ['other', 'a space', { ...RIGHT, email: 'suzuki @haru.example' }],
    ['other', 'a line break', { ...RIGHT, email: 'suzuki@haru.example\n' }],
    ['other', 'a Kelvin sign, whose lower case is k', { ...RIGHT, email: 'suzu\u212ai@haru.example' }],
    ['other', 'full-width letters', { ...RIGHT, email: 'ｓuzuki@haru.example' }],
    ['other', 'a list', { ...RIGHT, email: ['suzuki@haru.example'] }],
    ['other', 'no address', { email_verified: true }],
    ['google', 'a private account with the company’s address', RIGHT],
    ['google', 'an empty Workspace', { ...RIGHT, hd: '' }],
    ['google', 'not verified', { ...RIGHT, email_verified: false, hd: 'haru.example' }],
    ['microsoft', 'an address that Microsoft did not verify', { ...RIGHT, tid: TENANT }],
    ['microsoft', 'another tenant', { ...MICROSOFT, tid: '00000000-1111-4222-8333-444455556666' }],
    ['microsoft', 'no tenant', { preferred_username: MICROSOFT.preferred_username }],
    ['microsoft', 'a guest of another tenant', { ...MICROSOFT, idp: 'https://sts.windows.net/00000000-1111/' }],
    ['microsoft', 'a guest with a private account', { ...MICROSOFT, idp: 'live.com' }],
    ['microsoft', 'a guest by the kind of account', { ...MICROSOFT, acct: 1 }],
    ['microsoft', 'a kind of account that is no number', { ...MICROSOFT, acct: '1' }],
    ['microsoft', 'a guest’s name', { ...MICROSOFT, preferred_username: 'a_natsu.example#EXT#@haru.onmicrosoft.com' }],
  ] as const)('%s: %s proves nothing', (provider, _, claims) => expect(prove(provider, claims)).toBeNull());
});

test.each([
  ['https://login.microsoftonline.com/common/v2.0', null],
  ['https://login.microsoftonline.com/organizations/v2.0', null],
  ['https://login.microsoftonline.com/consumers/v2.0', null],
  ['https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0', null],
  [`https://login.microsoftonline.com/${TENANT}/v2.0/`, null],
  [`https://login.microsoftonline.com/${TENANT}`, null],
  [`https://login.microsoftonline.com.evil.example/${TENANT}/v2.0`, null],
  [`http://login.microsoftonline.com/${TENANT}/v2.0`, null],
  [ISSUERS.microsoft, TENANT],
])('the tenant of %s is %s', (issuer, tenant) => expect(microsoftTenant(issuer)).toBe(tenant));
