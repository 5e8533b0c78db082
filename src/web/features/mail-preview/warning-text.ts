import type { MailCheckWarning } from '#contract/sending/mail-preview.ts';
import { MERGE_FIELD_NAMES } from '#contract/sending/merge-field-names.ts';
import { fileSize } from '#domain/text/file-size.ts';
import { isOwnField, type OwnLabels, useOwnLabels } from '#web/lib/data/own/own-labels.ts';
import { asMessage } from '#web/lib/phrases.ts';
import { MAIL_PREVIEW_MESSAGES } from './words.ts';

const messages = MAIL_PREVIEW_MESSAGES;
const fieldNames: Readonly<Record<string, string>> = MERGE_FIELD_NAMES;
const reasons: Readonly<Record<string, string>> = messages.blankBecause;

/** Whether a warning is about a blank own field of companies. */
export const isBlankOwn = ({ kind, text }: Pick<MailCheckWarning, 'kind' | 'text'>): boolean =>
  kind === 'blank_field' && isOwnField(text);

/** The labels of own fields; undefined: not known yet. */
export type Labels = OwnLabels | undefined;

const blankName = (field: string, labels: Labels): string => fieldNames[field] ?? labels?.get(field) ?? field;

const TEXTS: Readonly<Record<MailCheckWarning['kind'], (text: string, labels: Labels) => string>> = {
  blank_field: (field, labels) => reasons[field] ?? messages.blank(blankName(field, labels)),
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

export const warningText = ({ kind, text }: Pick<MailCheckWarning, 'kind' | 'text'>, labels: Labels): string =>
  TEXTS[kind](text, labels);

/** Says how many companies have no value of an own field. */
export const blankOwnText = ({ text, count }: Pick<MailCheckWarning, 'text' | 'count'>, labels: Labels): string =>
  messages.checks.blankOwn(blankName(text, labels), count);

/** Returns the labels of the own fields that warnings are about. */
export const useLabels = (warnings: readonly Pick<MailCheckWarning, 'kind' | 'text'>[]): Labels =>
  useOwnLabels(warnings.filter(isBlankOwn).map(({ text }) => text));
