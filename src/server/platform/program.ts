/** The name of the product in its mails and on its pages. */
export const PROGRAM = 'Kaitaku';
