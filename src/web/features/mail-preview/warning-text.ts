import type { MailWarning } from '#contract/mail-preview.ts';
import { MAIL_PREVIEW_WORDS } from '#web/lib/mail-preview-words.ts';

const words = MAIL_PREVIEW_WORDS;
const fieldNames: Readonly<Record<string, string>> = words.fields;
const reasons: Readonly<Record<string, string>> = words.blankBecause;

export const warningText = ({ kind, text }: MailWarning): string =>
  kind === 'doubled_honorific' ? words.doubled(text) : (reasons[text] ?? words.blank(fieldNames[text] ?? text));
