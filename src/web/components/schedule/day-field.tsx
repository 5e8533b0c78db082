import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { isDay } from '#domain/time/calendar.ts';
import { calendarDay } from '#domain/time/calendar-names.ts';
import { Field, type FieldProps } from '#web/components/field/field.tsx';
import { useActElsewhere } from '#web/lib/api/use-act-elsewhere.ts';
import { holidays } from '#web/lib/data/holidays.ts';
import { DayPanel } from './day-panel.tsx';
import type { DayChoice } from './picker-choices.ts';

type Props = FieldProps & {
  readonly days: readonly DayChoice[];
  readonly value: string;
  readonly onChange: (day: string) => void;
  /** Returns the mark beside a day, which replaces the holiday's name. */
  readonly markOf?: ((day: string) => string | undefined) | undefined;
};

/**
 * Shows a day, which is chosen in a month's grid over the page. The up and down keys of the closed field choose the
 * next offered day, as those of a select do.
 */
export function DayField({ days, value, onChange, markOf, ...field }: Props) {
  const { data: names } = useQuery(holidays);
  const [isOpen, setOpen] = useState(false);
  const panelId = useId();
  const button = useRef<HTMLButtonElement>(null);
  const elsewhere = useActElsewhere(isOpen ? 'press' : null, () => setOpen(false));
  const noteOf = (day: string) => markOf?.(day) ?? names?.[day]?.name;

  function closeAndReturn(): void {
    setOpen(false);
    button.current?.focus({ preventScroll: true });
  }

  function onKeyDown(event: KeyboardEvent): void {
    const { key, altKey } = event;
    if (isOpen && key === 'Escape') closeAndReturn();
    else if (event.target === button.current && (key === 'ArrowDown' || key === 'ArrowUp')) {
      if (altKey) setOpen(true);
      else step(key === 'ArrowDown');
    } else return;
    event.preventDefault();
  }

  function step(isLater: boolean): void {
    const offered = days.flatMap(({ day, isOffered }) => (isOffered ? day : []));
    const next = isLater ? offered.find((day) => day > value) : offered.findLast((day) => day < value);
    if (next !== undefined) onChange(next);
  }

  return (
    <Field {...field}>
      {({ className = '', ...control }) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the keys and the focus of what is in it
        <div
          {...elsewhere}
          onKeyDown={onKeyDown}
          onBlur={({ currentTarget, relatedTarget }) => {
            if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) setOpen(false);
          }}
        >
          <button
            {...control}
            ref={button}
            type="button"
            role="combobox"
            className={`spread ${className}`}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            aria-controls={isOpen ? panelId : undefined}
            value={value}
            onClick={() => setOpen(!isOpen)}
          >
            <span className="cut">
              {isDay(value) ? [calendarDay(value), noteOf(value)].filter(Boolean).join(' ') : value}
            </span>
            <IconChevronDown size={14} aria-hidden />
          </button>
          {isOpen ? (
            <DayPanel
              id={panelId}
              label={field.label}
              anchor={button}
              days={days}
              value={value}
              noteOf={noteOf}
              onChoose={(day) => {
                onChange(day);
                closeAndReturn();
              }}
            />
          ) : null}
        </div>
      )}
    </Field>
  );
}
