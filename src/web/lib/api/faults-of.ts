import type { ApiFailure } from './call.ts';

/** Faults by field. */
export type Faults = Readonly<Record<string, string>>;

/** The path of a field without the name of the enclosing object. */
const fieldAt = (path: string): string => path.replace(/^(?:add|update|duplicate_key_update)_info\./, '');

/** Returns the server's messages at their fields. @param fieldOf returns the field of a path of the request */
export const faultsOf = ({ details = [] }: ApiFailure, fieldOf: (path: string) => string = fieldAt): Faults =>
  Object.fromEntries(details.map(({ path, message }) => [fieldOf(path), message]));
