import { PRODUCT_NAME } from '../words.ts';

/** Reads a setting that the server wrote into index.html; '' if it is missing. */
const readSetting = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

export const copyrightHolder = (): string => readSetting('copyright-holder') || PRODUCT_NAME;

/** Whether mails stay on the server's machine, in its mail catcher. */
export const usesMailCatcher = (): boolean => readSetting('mail-catcher') !== '';

/** A template's id here, and its id at SendGrid if it has one. */
export interface TemplateIds {
  readonly template_id: number;
  readonly sendgrid_template_id: string | null;
}

/**
 * Returns the address of a template's editor: the one that the server names, or else this client's.
 * Returns null if the editor is SendGrid's and the template has no id there.
 */
export function templateEditorUrl(
  { template_id, sendgrid_template_id }: TemplateIds,
  ownEditor: string,
): string | null {
  const url = readSetting('template-editor-url');
  if (url === '') return ownEditor;
  if (sendgrid_template_id === null && url.includes(SENDGRID_ID)) return null;
  return url.replaceAll('{template_id}', String(template_id)).replaceAll(SENDGRID_ID, sendgrid_template_id ?? '');
}

const SENDGRID_ID = '{sendgrid_template_id}';
