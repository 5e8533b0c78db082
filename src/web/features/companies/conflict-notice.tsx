import { Button } from '#web/components/button.tsx';
import { TheirChanges } from '#web/components/their-changes.tsx';
import type { TheirField } from '#web/lib/merged-form.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { type FormField, labelOf } from './company-form.ts';

interface ConflictProps {
  readonly theirs: readonly TheirField<FormField>[];
  /** The server's sentence: who changed the company, and when. */
  readonly message: string | undefined;
  readonly onLoad: () => void;
}

/** Shows the other person's values of a company. */
export function ConflictNotice({ theirs, message, onLoad }: ConflictProps) {
  const shown = theirs.map(({ field, theirs: value }) => ({ label: labelOf(field), value: String(value) }));
  return (
    <TheirChanges message={message} theirs={shown}>
      <Button onClick={onLoad}>{COMMON_MESSAGES.theirChanges.load}</Button>
    </TheirChanges>
  );
}
