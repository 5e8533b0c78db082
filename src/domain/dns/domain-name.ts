const LABEL = '[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);

/** Returns whether a text is the ASCII name of a domain, in lower case. International names are written as `xn--…`. */
export const isDomainName = (text: string): boolean => text.length <= 253 && DOMAIN.test(text);
