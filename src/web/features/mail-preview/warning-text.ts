import type { MailWarning } from '#contract/mail-preview.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { MAIL_PREVIEW_MESSAGES } from './words.ts';

const messages = MAIL_PREVIEW_MESSAGES;
const fieldNames: Readonly<Record<string, string>> = COMMON_MESSAGES.mergeFields;
const reasons: Readonly<Record<string, string>> = messages.blankBecause;

export const warningText = ({ kind, text }: MailWarning): string =>
  kind === 'doubled_honorific' ? messages.doubled(text) : (reasons[text] ?? messages.blank(fieldNames[text] ?? text));
