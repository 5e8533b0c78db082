import { useState } from 'react';
import { parseJapaneseNumber } from '#domain/text/japanese-number.ts';
import { TextField } from '#web/components/field/text-field.tsx';
import { SENDING_MESSAGES } from './words.ts';

const { real } = SENDING_MESSAGES;

/** Whether the typed text is the number: full or half width, with or without commas and unit. */
export function isCount(typed: string, targets: number): boolean {
  const text = typed.normalize('NFKC').trim();
  const unit = real.units.find((known) => text.endsWith(known)) ?? '';
  const parsed = parseJapaneseNumber(text.slice(0, text.length - unit.length));
  return parsed.ok && parsed.value === targets;
}

interface Props {
  readonly targets: number;
  readonly typed: string;
  readonly onType: (typed: string) => void;
}

/** Asks the user to type the number of companies before many of them get mail. */
export function CountField({ targets, typed, onType }: Props) {
  const [isLeft, setLeft] = useState(false);
  const isWrong = isLeft && typed.trim() !== '' && !isCount(typed, targets);
  return (
    <TextField
      label={real.typeNumber(targets)}
      inputMode="numeric"
      autoComplete="off"
      value={typed}
      error={isWrong ? real.numberWrong(targets) : undefined}
      onBlur={() => setLeft(true)}
      onChange={onType}
    />
  );
}
