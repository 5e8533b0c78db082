/** In UTF-8. An entry of the sorting index holds 2,704 bytes. */
export const MAX_URL_BYTES = 2048;

/** An ordinary address that needs no parsing, as most are. */
const PLAIN = /^https?:\/\/(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,63}(?:\/[\w./~-]*)?$/;

/** Replaces full-width forms of ASCII, which Japanese input methods produce. */
const foldWidth = (text: string): string =>
  text.replace(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));

/**
 * Reads a link that is safe to show: http or https, a host with a dot, no credentials. https:// is added where the
 * scheme is missing.
 * @returns null for anything else (`javascript:`, `data:`, `//x`, a path, white space inside)
 */
export function parseWebAddress(text: string): string | null {
  if (PLAIN.test(text) && text.length <= MAX_URL_BYTES) return text;
  if (text.length > MAX_URL_BYTES || /\s/.test(text)) return null;
  const folded = foldWidth(text);
  // Not before a digit, which would be the port of `example.jp:8080`.
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(folded);
  const address = hasScheme ? folded : `https://${folded}`;
  if (!/^https?:\/\/[^/\\?#]/i.test(address)) return null;
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '' || !url.hostname.includes('.')) return null;
  return Buffer.byteLength(address) > MAX_URL_BYTES ? null : address;
}
