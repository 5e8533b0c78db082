import { useEffect, useRef } from 'react';
import { usesMailCatcher } from '#web/lib/screen/page-settings.ts';
import { type DomainRow, useDomainCheck } from './domain-query.ts';

/**
 * Asks the DNS about a domain whose result is due, once while it is on the screen.
 * In the mail catcher no mail leaves, so nothing is asked without a person's wish.
 *
 * @param row undefined: none
 * @param isQuiet as in useDomainCheck
 */
export function useDueCheck(row: DomainRow | undefined, isQuiet = false) {
  const check = useDomainCheck(isQuiet);
  const { mutate } = check;
  const asked = useRef<string>(undefined);
  const due = row?.is_due === 1 && !usesMailCatcher() ? row.domain : undefined;
  useEffect(() => {
    // A check that failed stays due: the person repeats it.
    if (due === undefined || asked.current === due) return;
    asked.current = due;
    mutate(due);
  }, [due, mutate]);
  return check;
}
