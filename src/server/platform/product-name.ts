/** The default sender name of the program's own mails, and the default name in the footer. */
export const PRODUCT_NAME = 'Kaitaku';
