import { choiceOf, FilterBar, saidOf } from '#web/components/field/filter-bar.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { AUDIT_PERIODS } from '#web/lib/address/params.ts';
import { RANGE_SEPARATOR } from '#web/lib/phrases.ts';
import { sentenceDay } from '#web/lib/screen-time.ts';
import type { AuditChoice, useAuditPlace } from './audit-place.ts';
import { AUDIT_MESSAGES as messages } from './words.ts';

const ALL = { value: '', label: messages.all };
const KINDS = [ALL, ...Object.entries(messages.kinds).map(([value, label]) => ({ value, label }))];
const PERIODS = [
  { value: '', label: messages.periods.days },
  ...AUDIT_PERIODS.map((value) => ({ value, label: messages.periods[value] })),
];

/** Returns the period's name, or the days that were entered. */
const periodOf = ({ period, from = '', to = '' }: AuditChoice): readonly string[] =>
  saidOf(
    messages.period,
    period === 'custom' && from + to !== ''
      ? [from, to].map((day) => day && sentenceDay(day)).join(RANGE_SEPARATOR)
      : messages.periods[period ?? 'days'],
  );

interface Props {
  readonly choice: AuditChoice;
  readonly fault: string | undefined;
  readonly members: readonly { readonly id: number; readonly name: string; readonly active: 0 | 1 }[];
  readonly onChange: ReturnType<typeof useAuditPlace>['setChoice'];
}

/** Narrows the audit by member, kind and days. */
export function AuditFilterBar({ choice, fault, members, onChange }: Props) {
  const people = [
    ALL,
    ...members.map(({ id, name, active }) => ({
      value: String(id),
      label: active === 1 ? name : messages.stopped(name),
    })),
  ];
  const chosen = [
    ...choiceOf(messages.member, people, choice.member ?? ''),
    ...choiceOf(messages.kind, KINDS, choice.kind ?? ''),
    ...periodOf(choice),
  ];
  return (
    <FilterBar chosen={chosen} hasFault={fault !== undefined}>
      <SelectField
        label={messages.member}
        choices={people}
        value={String(choice.member ?? '')}
        onChange={(member) => onChange({ member })}
      />
      <SelectField
        label={messages.kind}
        choices={KINDS}
        value={choice.kind ?? ''}
        onChange={(kind) => onChange({ kind })}
      />
      <SelectField
        label={messages.period}
        choices={PERIODS}
        value={choice.period ?? ''}
        onChange={(period) => onChange({ period, from: '', to: '' })}
      />
      {choice.period === 'custom' ? (
        <>
          <TextField
            type="date"
            label={messages.from}
            value={choice.from ?? ''}
            onChange={(from) => onChange({ from })}
          />
          <TextField
            type="date"
            label={messages.to}
            value={choice.to ?? ''}
            error={fault}
            onChange={(to) => onChange({ to })}
          />
        </>
      ) : null}
    </FilterBar>
  );
}
