interface Place {
  readonly search: string;
}

/** The log-in's parameter with the key of an account. */
const KEY = 'c';

/** Whether a text is the key of a log-in link: 128 bits as base64url. */
export const isLinkKey = (text: string | null): text is string => text !== null && /^[\w-]{22}$/.test(text);

/** Returns the key of an account in the address of the log-in; undefined: none. */
export function linkKeyIn({ search }: Place): string | undefined {
  const given = new URLSearchParams(search).get(KEY);
  return isLinkKey(given) ? given : undefined;
}

/** What a provider returned with. */
interface ProviderReturn {
  readonly state: string;
  readonly code: string;
  /** Of RFC 9207. */
  readonly iss?: string;
}

/** Returns what a provider returned with; null: something is missing, or the provider refused. */
export function providerReturnIn({ search }: Place): ProviderReturn | null {
  const query = new URLSearchParams(search);
  const [state, code, iss] = [query.get('state'), query.get('code'), query.get('iss')];
  return state && code ? { state, code, ...(iss && { iss }) } : null;
}

/** Returns the state of an address at a provider, or of its way back; null: none. */
export const stateIn = ({ search }: Place): string | null => new URLSearchParams(search).get('state');

export const hasParameters = ({ search }: Place): boolean => search !== '';
