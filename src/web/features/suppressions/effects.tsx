import type { AddAnswer } from './add-suppressions.ts';
import styles from './suppressions.module.css';
import { SUPPRESSION_ADD_MESSAGES as messages } from './words.ts';

const FACTS = Object.keys(messages.facts) as (keyof typeof messages.facts)[];

/** Shows the effects of storing, including reservations and mails that lose companies. */
export function Effects({ counted }: { readonly counted: Pick<AddAnswer, keyof typeof messages.facts> }) {
  const shown = FACTS.filter((fact) => counted[fact] > 0 || fact === 'added');
  return (
    <div role="status" aria-label={messages.factsLabel}>
      <ul className={`row tint ${styles.effects}`}>
        {shown.map((fact) => (
          <li key={fact} data-warning={fact === 'reserved' || fact === 'queued' || undefined}>
            {messages.facts[fact](counted[fact])}
          </li>
        ))}
      </ul>
    </div>
  );
}
