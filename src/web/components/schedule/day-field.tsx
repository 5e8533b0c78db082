import { useQuery } from '@tanstack/react-query';
import { calendarDay, monthName } from '#domain/time/calendar-names.ts';
import { Field, type FieldProps } from '#web/components/field/field.tsx';
import { holidays } from '#web/lib/data/holidays.ts';
import type { DayChoice } from './picker-choices.ts';

type Props = FieldProps & {
  readonly days: readonly DayChoice[];
  readonly value: string;
  readonly onChange: (day: string) => void;
  /** Returns the mark beside a day, which replaces the holiday's name. */
  readonly markOf?: ((day: string) => string | undefined) | undefined;
};

/** Shows a select of days, grouped by month, with the names of holidays. Days that are not offered cannot be chosen. */
export function DayField({ days, value, onChange, markOf, ...field }: Props) {
  const { data: names } = useQuery(holidays);
  const label = (day: string) => [calendarDay(day), markOf?.(day) ?? names?.[day]?.name].filter(Boolean).join(' ');
  return (
    <Field {...field}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => onChange(event.target.value)}>
          {[...Map.groupBy(days, ({ day }) => day.slice(0, 7))].map(([month, choices]) => (
            <optgroup key={month} label={monthName(month)}>
              {choices.map(({ day, isOffered }) => (
                <option key={day} value={day} disabled={!isOffered}>
                  {label(day)}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      )}
    </Field>
  );
}
