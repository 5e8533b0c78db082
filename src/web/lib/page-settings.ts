import { PRODUCT_NAME } from './words.ts';

/** What the server tells in index.html; an empty text where it tells nothing. */
const told = (name: string): string => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

export const copyrightHolder = (): string => told('copyright-holder') || PRODUCT_NAME;

/** A template by its own id, and by its id at SendGrid where it has one. */
export interface TemplateIds {
  readonly template_id: number;
  readonly sendgrid_template_id: string | null;
}

/** Where a template is edited: in our own editor where the server names no other place; null: SendGrid knows no such template. */
export function templateEditorUrl(
  { template_id, sendgrid_template_id }: TemplateIds,
  ownEditor: string,
): string | null {
  const url = told('template-editor-url');
  if (url === '') return ownEditor;
  if (sendgrid_template_id === null && url.includes(AT_SENDGRID)) return null;
  return url.replaceAll('{template_id}', String(template_id)).replaceAll(AT_SENDGRID, sendgrid_template_id ?? '');
}

const AT_SENDGRID = '{sendgrid_template_id}';
