/**
 * What every answer carries, whoever makes it: a page, the API, an error, a refused connection. Nothing inline but
 * style attributes, nothing from elsewhere. Mails have such attributes, and the frame that previews them inherits this
 * policy.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
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
].join('; ');

const TWO_YEARS_SECONDS = 63_072_000;

/**
 * @param https whether users come by TLS. We speak plain HTTP, so only the operator knows (PUBLIC_URL); without TLS the
 * header would be ignored at best, and at worst lock the host's other services out.
 */
export const securityHeaders = (https: boolean): ReadonlyMap<string, string> =>
  new Map([
    ['content-security-policy', CONTENT_SECURITY_POLICY],
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
    // Files of the web client say otherwise themselves.
    ['cache-control', 'no-store'],
    ...(https ? [['strict-transport-security', `max-age=${TWO_YEARS_SECONDS}; includeSubDomains`] as const] : []),
  ]);
