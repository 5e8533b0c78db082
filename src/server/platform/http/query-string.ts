import qs from 'qs';
import { MAX_QUERY_PARAMETERS } from '#domain/limits.ts';

/**
 * Reads a query with its brackets into objects without a prototype. `constructor` and `toString` are ordinary names
 * there, which the call's schema refuses.
 */
export const readQuery = (text: string): Record<string, unknown> =>
  qs.parse(text, {
    depth: 3,
    arrayLimit: 100,
    parameterLimit: MAX_QUERY_PARAMETERS,
    strictDepth: false,
    plainObjects: true,
    decoder: decodeVisibly,
  });

/** Renames `__proto__` to a name that every schema refuses. qs would drop it silently. */
const decodeVisibly: qs.IParseOptions['decoder'] = (text, decode, charset, type) => {
  const decoded: unknown = decode(text, undefined, charset);
  return type === 'key' ? String(decoded).replaceAll('__proto__', '(__proto__)') : decoded;
};
