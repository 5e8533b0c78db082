import type { ApiFailure } from './call.ts';

/** Faults by field. */
export type Faults = Readonly<Record<string, string>>;

/** Returns the server's messages at their fields, without the name of the enclosing object. */
export const faultsOf = ({ details = [] }: ApiFailure): Faults =>
  Object.fromEntries(details.map(({ path, message }) => [path.replace(/^(add|update)_info\./, ''), message]));
