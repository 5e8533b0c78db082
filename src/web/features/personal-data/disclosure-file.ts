import type { PersonField } from '#contract/companies/people.ts';
import { PERSON_FIELD_NAMES, personFieldName } from '#contract/companies/people-names.ts';
import { harmlessCell } from '#domain/text/harmless-cell.ts';
import { plainDay } from '#domain/time/shown-time.ts';
import { shownValue } from '#web/lib/data/company-value.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import type { PersonalData } from './personal-data-query.ts';
import { PERSONAL_DATA_MESSAGES as messages } from './words.ts';

type Row = readonly [part: string, at: string, item: string, value: string];

const { parts, columns } = messages;
const LABELS: Readonly<Record<string, string>> = {
  ...DATA_MESSAGES.prospects.columns,
  corporate_number: messages.corporateNumber,
  external_id: messages.externalId,
  person_id: messages.primary,
};

const labelOf = (field: string): string => personFieldName(field) ?? LABELS[field] ?? field;
const textOf = (field: string, value: string | number | null): string =>
  typeof value === 'number' ? String(value) : shownValue(field, value);

/** Returns the stored data as readable rows: part, time, item, value. Blank values have no row. */
export function disclosureRows(data: PersonalData): Row[] {
  const { companies, people, changes, mails, bounces, replies, suppressions, invitations } = data;
  return [
    ...companies.flatMap(companyRows),
    ...people.flatMap(personRows),
    ...changes.map(changeRow),
    ...mails.map(mailRow),
    ...bounces.map(bounceRow),
    ...replies.flatMap(replyRows),
    ...suppressions.map(refusalRow),
    ...invitations.map(invitationRow),
  ];
}

const NOT_VALUES = new Set(['id', 'archived', 'created_at', 'updated_at', 'remarks']);

function companyRows({ remarks, tags, custom, ...company }: PersonalData['companies'][number]): Row[] {
  const values = Object.entries(company).filter(
    ([field, value]) => !NOT_VALUES.has(field) && value !== null && value !== '',
  );
  const own = [...(tags.length > 0 ? [{ label: messages.tags, value: messages.listed(tags) }] : []), ...custom];
  return [
    ...values.map(([field, value]): Row => [parts.companies, company.updated_at, labelOf(field), textOf(field, value)]),
    ...own.map(({ label, value }): Row => [parts.companies, company.updated_at, label, value]),
    ...remarks.map(({ group_name, remarks: text }): Row => [parts.remarks, '', group_name, text]),
  ];
}

function personRows({ updated_at, ...person }: PersonalData['people'][number]): Row[] {
  const values = [
    [labelOf('company_name'), person.company_name],
    ...(Object.entries(PERSON_FIELD_NAMES) as [PersonField, string][]).map(([field, name]) => {
      return [name, field === 'met_on' ? plainDay(person.met_on ?? '') : (person[field] ?? '')] as const;
    }),
    [messages.primary, person.is_primary === 1 ? messages.yes : ''],
    [messages.archived, person.archived === 1 ? messages.yes : ''],
  ] as const;
  return values
    .filter(([, value]) => value !== '')
    .map(([name, value]): Row => [parts.people, updated_at, name, value]);
}

const changeRow = ({ at, field, label = labelOf(field), old, new: next }: PersonalData['changes'][number]): Row => {
  const shown = (value: string | number | null) => textOf(field, value) || messages.blank;
  return [parts.changes, at, label, messages.change(shown(old), shown(next))];
};

const mailRow = (mail: PersonalData['mails'][number]): Row => {
  const state = messages.states[mail.state];
  const shown = mail.test_send_mode === 1 ? `${messages.test}・${state}` : state;
  return [parts.mails, mail.at, mail.subject, messages.mail(mail.from, mail.mail_to ?? '', shown)];
};

const bounceRow = ({ at, class: type, reply }: PersonalData['bounces'][number]): Row => [
  parts.bounces,
  at,
  messages.bounces[type],
  reply,
];

const replyRows = ({ at, kind, from, subject, excerpt }: PersonalData['replies'][number]): Row[] => {
  const item = [messages.replies[kind], from].filter((text) => text !== '').join(' ');
  return [subject, excerpt].filter((text) => text !== '').map((text): Row => [parts.replies, at, item, text]);
};

const refusalRow = ({ created_at, class: type, value, note, lifted_at }: PersonalData['suppressions'][number]): Row => {
  const more = [note, lifted_at === null ? '' : messages.lifted(lifted_at)].filter((text) => text !== '');
  return [parts.suppressions, created_at, DATA_MESSAGES.suppressionClasses[type], [value, ...more].join(' ')];
};

const invitationRow = ({ created_at, invited_by }: PersonalData['invitations'][number]): Row => [
  parts.invitations,
  created_at,
  messages.invitedBy,
  invited_by ?? messages.blank,
];

const cell = (text: string): string => `"${harmlessCell(text).replaceAll('"', '""')}"`;

/** Returns the rows as CSV (RFC 4180), with the byte order mark that Excel needs for UTF-8. */
export const disclosureCsv = (data: PersonalData): string =>
  `\uFEFF${[Object.values(columns), ...disclosureRows(data)].map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`;

export const disclosureJson = (data: PersonalData): string => `${JSON.stringify(data, null, 2)}\n`;
