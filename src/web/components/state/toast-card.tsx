import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { type FocusEvent, useEffect, useRef, useState } from 'react';
import { closeToast, type Toast } from '#web/lib/screen/toast.ts';
import { CloseButton } from '../dialog/close-button.tsx';
import styles from './toasts.module.css';

// The icon shows the type without colour.
const ICONS = { success: IconCheck, error: IconX, info: IconInfoCircle, warning: IconAlertTriangle };

const SHOWN_MS = 4000;
/** The duration of the transition in toasts.module.css. */
const FADE_MS = 150;

/** Shows one message. It stays while it has the pointer or the focus. Closing it returns the focus. */
export function ToastCard({ id, type, message, act, times }: Toast) {
  const [isPointedAt, setPointedAt] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const [fadedAt, setFadedAt] = useState(0);
  const cameFrom = useRef<HTMLElement>(null);
  const isHeld = isPointedAt || isFocused;
  const isFading = fadedAt === times;

  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => setFadedAt(times), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, times]);
  useEffect(() => {
    if (!isFading) return undefined;
    const timer = setTimeout(() => closeToast(id), FADE_MS);
    return () => clearTimeout(timer);
  }, [isFading, id]);

  function enter({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>): void {
    if (currentTarget.contains(relatedTarget)) return;
    cameFrom.current = relatedTarget instanceof HTMLElement ? relatedTarget : null;
    setFocused(true);
  }

  function leave({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>): void {
    if (currentTarget.contains(relatedTarget)) return;
    cameFrom.current = null;
    setFocused(false);
  }

  function close(): void {
    cameFrom.current?.focus();
    setFadedAt(times);
  }

  const Icon = type === 'default' ? undefined : ICONS[type];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields, this groups a message and its button
    <div
      role="group"
      className={`line floats fades ${styles.toast}`}
      data-type={type}
      data-fading={isFading || undefined}
      onMouseEnter={() => setPointedAt(true)}
      onMouseLeave={() => setPointedAt(false)}
      onFocus={enter}
      onBlur={leave}
    >
      {Icon === undefined ? null : <Icon size={24} stroke={2.5} className={styles.icon} aria-hidden />}
      {/* The key renders a restarted toast anew, so that it is announced again. */}
      <div key={times} className={styles.message}>
        {message.split('\n').map((line) => (
          <div key={line}>{line}</div>
        ))}
        {act === undefined ? null : (
          <button
            type="button"
            className={styles.act}
            onClick={() => {
              close();
              act.run();
            }}
          >
            {act.label}
          </button>
        )}
      </div>
      <CloseButton onPress={close} />
    </div>
  );
}
