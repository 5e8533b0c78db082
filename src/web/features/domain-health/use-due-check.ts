import { useEffect, useRef } from 'react';
import { usesMailCatcher } from '#web/lib/screen/page-settings.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { type DomainRow, useDomainCheck } from './domain-query.ts';

/**
 * Checks a domain in the DNS once while it is on screen, if its result is due.
 * With the mail catcher no mail leaves, so only the user starts checks.
 *
 * @param row undefined: no domain
 * @param isQuiet as in useDomainCheck
 */
export function useDueCheck(row: DomainRow | undefined, isQuiet = false) {
  const check = useDomainCheck(isQuiet);
  const { mutate } = check;
  const asked = useRef<string>(undefined);
  const may = useMay('checkDomainHealth');
  const due = may && row?.is_due === 1 && !usesMailCatcher() ? row.domain : undefined;
  useEffect(() => {
    // After a failed check the result stays due, and the user can repeat it.
    if (due === undefined || asked.current === due) return;
    asked.current = due;
    mutate(due);
  }, [due, mutate]);
  return check;
}
