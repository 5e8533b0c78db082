/** In UTF-8: a sorted list is read by an index, which takes no more than 2,704. */
export const MAX_URL_BYTES = 2048;

/** Most of all: nothing in it that needs a second look. */
const PLAIN = /^https?:\/\/(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,63}(?:\/[\w./~-]*)?$/;

/** The full-width forms of ASCII, as an input method types them. */
const foldWidth = (text: string): string =>
  text.replace(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));

/**
 * A link that is safe to show: http or https, a host with a dot, no credentials. Without a scheme https:// is put in front.
 * null: anything else (`javascript:`, `data:`, `//x`, a path, white space inside).
 */
export function parseWebAddress(text: string): string | null {
  if (PLAIN.test(text) && text.length <= MAX_URL_BYTES) return text;
  if (text.length > MAX_URL_BYTES || /\s/.test(text)) return null;
  const folded = foldWidth(text);
  // A scheme, and not the port of `example.jp:8080`.
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(folded);
  const address = hasScheme ? folded : `https://${folded}`;
  if (!/^https?:\/\/[^/\\?#]/i.test(address)) return null;
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '' || !url.hostname.includes('.')) return null;
  return Buffer.byteLength(address) > MAX_URL_BYTES ? null : address;
}
