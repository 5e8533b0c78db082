import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { Button } from '#web/components/button.tsx';
import { CloseButton } from '#web/components/dialog/close-button.tsx';
import { isDialogOpen, isTypedText } from '#web/lib/screen/keys.ts';
import styles from './company-drawer.module.css';
import { companyQuery } from './company-query.ts';
import { COMPANY_MESSAGES } from './words.ts';

interface Props {
  readonly id: number;
  /** undefined: the list has no company before (or after) this one. */
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Shows a panel beside the list, which stays usable. Escape closes it from any focus. */
export function CompanyDrawer({ id, onPrevious, onNext, onClose, children }: Props) {
  const { data } = useQuery(companyQuery(id));
  useEscape(onClose);
  const { previous, next, title, shown } = COMPANY_MESSAGES;
  return (
    <dialog open className={`screen-only ${styles.drawer}`} aria-label={title}>
      <div className={`line ${styles.bar}`}>
        <Button variant="quiet" aria-disabled={onPrevious === undefined} onClick={onPrevious}>
          <IconChevronLeft size={16} aria-hidden />
          {previous}
        </Button>
        <Button variant="quiet" aria-disabled={onNext === undefined} onClick={onNext}>
          {next}
          <IconChevronRight size={16} aria-hidden />
        </Button>
        <span className="push">
          <CloseButton onPress={onClose} />
        </span>
      </div>
      <p role="status" className="visually-hidden">
        {data === undefined ? '' : shown(data.company_name)}
      </p>
      <div className={styles.content}>{children}</div>
    </dialog>
  );
}

/** Calls `act` at Escape, unless a text field, a menu or a dialog above handles the key. */
function useEscape(act: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || isTypedText(event) || isDialogOpen()) return;
    // A popover that this key closes still contains the event's target.
    if (event.target instanceof Element && event.target.closest('[role="dialog"], [role="menu"]') !== null) return;
    act();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
