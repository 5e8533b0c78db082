import { useQuery } from '@tanstack/react-query';
import { PERIOD_NAMES } from '#domain/time/report-presets.ts';
import { choiceOf, FilterBar, saidOf } from '#web/components/field/filter-bar.tsx';
import { type Choice, SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { templateChoices } from '#web/lib/data/templates.ts';
import type { usePlace } from './use-place.ts';
import { REPORT_MESSAGES } from './words.ts';

const { filters: messages, periods } = REPORT_MESSAGES;
const PERIODS: readonly Choice[] = [
  ...PERIOD_NAMES.map((value) => ({ value, label: periods[value] })),
  { value: 'custom', label: messages.custom },
];
const ALL: Choice = { value: '', label: messages.all };

interface Props {
  readonly at: ReturnType<typeof usePlace>;
  readonly groups: readonly { readonly id: number; readonly group_name: string }[];
}

/** Selects the period, the group and the template of a report. */
export function ReportFilters({
  at: { place, today, typed, choosePeriod, setDays, setGroup, setTemplate },
  groups,
}: Props) {
  const { data: templates = [] } = useQuery(templateChoices);
  const groupChoices = [ALL, ...groups.map(({ id, group_name }) => ({ value: String(id), label: group_name }))];
  const choices = [ALL, ...templates.map(({ id, name }) => ({ value: String(id), label: name }))];
  const chosen = [
    ...saidOf(messages.period, PERIODS.find(({ value }) => value === place.name)?.label),
    ...choiceOf(messages.group, groupChoices, place.groupId ?? ''),
    ...choiceOf(messages.template, choices, place.templateId ?? ''),
  ];
  const wrong = typed.to !== '' && typed.to < typed.from ? messages.endsBeforeStart : messages.wrongPeriod;
  const error = place.isWrong ? wrong : undefined;
  return (
    <FilterBar chosen={chosen} hasFault={place.isWrong}>
      <SelectField label={messages.period} choices={PERIODS} value={place.name} onChange={choosePeriod} />
      {place.name === 'custom' ? (
        <>
          <TextField
            type="date"
            label={messages.from}
            value={typed.from}
            max={today}
            onChange={(from) => setDays({ from })}
          />
          <TextField
            type="date"
            label={messages.to}
            value={typed.to}
            max={today}
            error={error}
            onChange={(to) => setDays({ to })}
          />
        </>
      ) : null}
      <SelectField
        label={messages.group}
        choices={groupChoices}
        value={String(place.groupId ?? '')}
        onChange={setGroup}
      />
      <SelectField
        label={messages.template}
        choices={choices}
        value={String(place.templateId ?? '')}
        onChange={setTemplate}
      />
    </FilterBar>
  );
}
