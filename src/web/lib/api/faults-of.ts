import type { ApiFailure } from './call.ts';

/** Error messages by field. */
export type Faults = Readonly<Record<string, string>>;

/** Returns the path of a field without the name of the enclosing object. */
const fieldAt = (path: string): string => path.replace(/^(?:add|update|duplicate_key_update)_info\./, '');

/** Returns the server's messages by field. @param fieldOf returns the field for a path of the request */
export const faultsOf = ({ details = [] }: ApiFailure, fieldOf: (path: string) => string = fieldAt): Faults =>
  Object.fromEntries(details.map(({ path, message }) => [fieldOf(path), message]));
