const KEY = 'kaitaku-device';
const RANDOM_BYTES = 32;

/** The value of this page, in base64url: for a browser that has none yet, or no storage. */
const own = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))).replaceAll(
  /[+/=]/g,
  (sign) => ({ '+': '-', '/': '_' })[sign] ?? '',
);

/** Returns the browser's random value, by which the server knows a trusted browser again. */
export function deviceOfBrowser(): string {
  try {
    const kept = localStorage.getItem(KEY) ?? '';
    // Another form would make the server refuse the log-in.
    if (/^[\w-]{43}$/.test(kept)) return kept;
    localStorage.setItem(KEY, own);
  } catch {
    // The next page of this browser is another device.
  }
  return own;
}
