/** The sender's name of the program's own mails and the name in the footer, unless settings give others. */
export const PRODUCT_NAME = 'Kaitaku';
