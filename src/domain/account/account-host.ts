import { isDomainName } from '../dns/domain-name.ts';

/** Why a text cannot be an account's host. */
export type HostFault = 'not_a_host' | 'not_offered';

const LABELS_MIN = 2;
/** An IPv4 address has the form of a name, but no name ends in a number (RFC 1123 2.1). */
const NUMBER_AT_END = /(?:^|\.)\d+$/;

/**
 * Reads the host of an account: a name of at least two parts, without a port. Refuses addresses.
 * International names are written as `xn--…`: browsers send that form, and lookalike letters show.
 * @param offered the setting ACCOUNT_HOSTS: names, and `*.example.jp` for names with one more part
 * @returns the name in lower case, without a final dot
 */
export function readAccountHost(text: string, offered: readonly string[]): { readonly host: string } | HostFault {
  const host = text.toLowerCase().replace(/\.$/, '');
  const isName = isDomainName(host) && !host.includes('_') && !NUMBER_AT_END.test(host);
  if (!isName || host.split('.').length < LABELS_MIN) return 'not_a_host';
  return offered.some((pattern) => isOffered(host, pattern)) ? { host } : 'not_offered';
}

/** A wildcard stands for one part, as in certificates. */
const isOffered = (host: string, pattern: string): boolean =>
  pattern.startsWith('*.') ? host.slice(host.indexOf('.')) === pattern.slice(1) : host === pattern;

/** Returns whether a text is a pattern of ACCOUNT_HOSTS. */
export const isHostPattern = (text: string): boolean => {
  const name = text.replace(/^\*\./, '');
  return typeof readAccountHost(name, [name]) === 'object';
};
