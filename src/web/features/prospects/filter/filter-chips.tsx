import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { Chip } from '#web/components/inline/chip.tsx';
import { conditionsOf, useConditionNames } from './conditions.ts';
import type { Faults, FilterField } from './filter-draft.ts';
import { FILTER_MESSAGES } from './words.ts';

interface Props {
  readonly filter: ProspectFilter;
  /** The shown errors: their fields have a message, and no chip. */
  readonly faults: Faults;
  readonly onRemove: (fields: readonly FilterField[], ownKey: string) => void;
}

/**
 * Shows the applied conditions, each with a button that removes it.
 * The search has its own field.
 */
export function FilterChips({ filter: { search: _inItsField, ...filter }, faults, onRemove }: Props) {
  useConditionNames(filter);
  // Own fields have many conditions: one with an error hides no other.
  const hidden = ({ of, ownKey }: { of: readonly FilterField[]; ownKey?: string }) =>
    ownKey === undefined && of.some((field) => faults.has(field));
  const conditions = conditionsOf(filter).filter((condition) => !hidden(condition));
  if (conditions.length === 0) return null;
  return (
    <ul className="row">
      {conditions.map(({ label, value, of, ownKey = '' }) => (
        <li key={of.join() + ownKey}>
          <Chip title={value} removeName={FILTER_MESSAGES.removeChip(label)} onRemove={() => onRemove(of, ownKey)}>
            {FILTER_MESSAGES.chip(label, value)}
          </Chip>
        </li>
      ))}
    </ul>
  );
}
