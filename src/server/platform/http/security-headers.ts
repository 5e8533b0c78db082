/** The web client's policies, and ProseMirror's for pasted content. */
const TRUSTED_TYPES_POLICIES = ['mail-preview', 'template-html', 'ProseMirrorClipboard'];

/**
 * Returns the policy of an answer: a page, the API's, an error or a refused connection.
 * It allows nothing from other hosts, and inline only style attributes and the scripts with these hashes. Mails have
 * style attributes, and their preview frame inherits this policy.
 * @param scriptHashes of the scripts within a page of the build, `sha256-…`
 */
export const contentSecurityPolicy = (scriptHashes: readonly string[] = []): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...scriptHashes.map((hash) => `'${hash}'`)].join(' '),
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    ['trusted-types', ...TRUSTED_TYPES_POLICIES].join(' '),
  ].join('; ');

const TWO_YEARS_SECONDS = 63_072_000;

/**
 * Returns the headers of every answer.
 * @param https whether users connect by TLS. The server speaks plain HTTP, so only the operator can know it
 * (PUBLIC_URL). Without TLS, browsers would at best ignore HSTS, and at worst lock users out of the host's other
 * services
 */
export const securityHeaders = (https: boolean): ReadonlyMap<string, string> =>
  new Map([
    ['content-security-policy', contentSecurityPolicy()],
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
    // The web client's files override this.
    ['cache-control', 'no-store'],
    ...(https ? [['strict-transport-security', `max-age=${TWO_YEARS_SECONDS}; includeSubDomains`] as const] : []),
  ]);
