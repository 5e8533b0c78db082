/** Returns a LIKE pattern for "contains", with % and _ of the term escaped. */
export const containing = (term: string): string => `%${term.replace(/[\\%_]/g, '\\$&')}%`;
