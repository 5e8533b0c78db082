/**
 * Returns the form in which addresses are compared, as `lower(email)` in the database: folds only ASCII letters.
 * toLowerCase() would turn the Kelvin sign into a k, and so one address into another.
 */
export const addressKey = (address: string): string => address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Returns the domain of an address in the same form. A text without @ is a domain itself. */
export const domainOf = (address: string): string => addressKey(address.slice(address.lastIndexOf('@') + 1));
