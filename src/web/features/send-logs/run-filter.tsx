import { useQuery } from '@tanstack/react-query';
import { RUN_STATES } from '#domain/sending/delivery-state.ts';
import { choiceOf, FilterBar, saidOf, searchOf } from '#web/components/field/filter-bar.tsx';
import { SearchField } from '#web/components/field/search-field.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { RUN_MODES, RUN_PERIODS } from '#web/lib/address/params.ts';
import { templateChoices } from '#web/lib/data/templates.ts';
import { RANGE_SEPARATOR } from '#web/lib/phrases.ts';
import { sentenceDay } from '#web/lib/screen-time.ts';
import type { RunChoice, useRunPlace } from './use-run-place.ts';
import { RUN_FILTER_MESSAGES as messages } from './words.ts';

const choicesOf = <T extends string>(values: readonly T[], labels: Readonly<Record<T, string>>) =>
  values.map((value) => ({ value, label: labels[value] }));
const ALL = { value: '', label: messages.all };
const PERIODS = [ALL, ...choicesOf(RUN_PERIODS, messages.periods)];
const STATES = [ALL, ...choicesOf(RUN_STATES, messages.states)];
const MODES = choicesOf(RUN_MODES, messages.modes);

/** Returns the period's name, or the days that were entered. */
const periodOf = ({ period, from = '', to = '' }: RunChoice): readonly string[] =>
  period === 'custom' && from + to !== ''
    ? saidOf(messages.period, [from, to].map((day) => day && sentenceDay(day)).join(RANGE_SEPARATOR))
    : choiceOf(messages.period, PERIODS, period ?? '');

interface Props {
  readonly choice: RunChoice;
  readonly groups: readonly { readonly id: number; readonly group_name: string }[];
  readonly onChange: ReturnType<typeof useRunPlace>['setChoice'];
}

/** Narrows the history by period, state, group, template, mode and subject. */
export function RunFilterBar({ choice, groups, onChange }: Props) {
  const { data: templates = [] } = useQuery(templateChoices);
  const groupChoices = [ALL, ...groups.map(({ id, group_name }) => ({ value: String(id), label: group_name }))];
  const choices = [ALL, ...templates.map(({ id, name, subject }) => ({ value: String(id), label: name || subject }))];
  const chosen = [
    ...periodOf(choice),
    ...choiceOf(messages.state, STATES, choice.state ?? ''),
    ...choiceOf(messages.group, groupChoices, choice.group ?? ''),
    ...choiceOf(messages.template, choices, choice.template ?? ''),
    ...choiceOf(messages.mode, MODES, choice.mode, 'real'),
    ...searchOf(choice.search),
  ];
  return (
    <FilterBar chosen={chosen}>
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
            max={choice.to}
            value={choice.from ?? ''}
            onChange={(from) => onChange({ from })}
          />
          <TextField
            type="date"
            label={messages.to}
            min={choice.from}
            value={choice.to ?? ''}
            onChange={(to) => onChange({ to })}
          />
        </>
      ) : null}
      <SelectField
        label={messages.state}
        choices={STATES}
        value={choice.state ?? ''}
        onChange={(state) => onChange({ state })}
      />
      <SelectField
        label={messages.group}
        choices={groupChoices}
        value={String(choice.group ?? '')}
        onChange={(group) => onChange({ group })}
      />
      <SelectField
        label={messages.template}
        choices={choices}
        value={String(choice.template ?? '')}
        onChange={(template) => onChange({ template })}
      />
      <SelectField label={messages.mode} choices={MODES} value={choice.mode} onChange={(mode) => onChange({ mode })} />
      <SearchField
        label={messages.search}
        search={choice.search ?? ''}
        onSearch={(search) => onChange({ search: search.trim() })}
      />
    </FilterBar>
  );
}
