import type { MailCheckWarning } from '#contract/sending/mail-preview.ts';
import { MERGE_FIELD_NAMES } from '#contract/sending/merge-field-names.ts';
import { fileSize } from '#domain/text/file-size.ts';
import { asMessage } from '#web/lib/phrases.ts';
import { MAIL_PREVIEW_MESSAGES } from './words.ts';

const messages = MAIL_PREVIEW_MESSAGES;
const fieldNames: Readonly<Record<string, string>> = MERGE_FIELD_NAMES;
const reasons: Readonly<Record<string, string>> = messages.blankBecause;

const TEXTS: Readonly<Record<MailCheckWarning['kind'], (text: string) => string>> = {
  blank_field: (field) => reasons[field] ?? messages.blank(fieldNames[field] ?? field),
  doubled_honorific: messages.doubled,
  garbled_character: messages.garbled,
  long_subject: (length) => messages.longSubject(Number(length)),
  image_only: () => messages.imageOnly,
  bad_link: messages.badLink,
  placeholder: messages.placeholder,
  no_attachment: messages.noAttachment,
  wrong_weekday: (dates) => messages.wrongWeekday(...(dates.split(/\/(?=[^/]*$)/) as [string, string])),
  past_date: messages.pastDate,
  clipped: (bytes) => messages.clipped(fileSize(Number(bytes))),
  too_large: (sizes) =>
    messages.tooLarge(...(sizes.split('/').map((bytes) => fileSize(Number(bytes))) as [string, string])),
  unlawful: asMessage,
  unusable: asMessage,
};

export const warningText = ({ kind, text }: Pick<MailCheckWarning, 'kind' | 'text'>): string => TEXTS[kind](text);
