import { PRODUCT_NAME } from './words.ts';

/** What the server tells in index.html; an empty text where it tells nothing. */
const told = (name: string): string => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

export const copyrightHolder = (): string => told('copyright-holder') || PRODUCT_NAME;

/** Where a template is edited outside of this client; null: in our own editor. */
export function templateEditorUrl(templateId: number): string | null {
  const url = told('template-editor-url');
  return url === '' ? null : url.replaceAll('{template_id}', String(templateId));
}
