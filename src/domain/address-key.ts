/**
 * The form in which addresses are compared, lower(email) in the database. ASCII letters alone: toLowerCase() would take
 * the Kelvin sign for a k, and so one address for another.
 */
export const addressKey = (address: string): string => address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
