import type { TransportTemplates } from '../transport.ts';

/** SMTP sends the stored bodies. */
export const smtpTemplates: TransportTemplates = {
  bodiesOf: ({ text_body, html_body }) => ({ text_body, html_body }),
  editorUrl: (configured) => configured ?? '',
};
