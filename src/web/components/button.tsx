import type { ComponentProps } from 'react';
import styles from './button.module.css';

interface Props extends ComponentProps<'button'> {
  /** At most one primary button a screen, outlined where it only tries something; danger is for what cannot be taken back. */
  readonly variant?: 'primary' | 'outline' | 'danger' | 'default' | 'quiet';
  /** Its request runs: it ignores clicks and, unlike a disabled button, keeps the focus. */
  readonly busy?: boolean;
}

export function Button({
  variant = 'default',
  busy = false,
  className = '',
  onClick,
  type = 'button',
  ...rest
}: Props) {
  return (
    <button
      {...rest}
      type={type}
      className={`${styles.button} ${styles[variant]} ${className}`}
      aria-disabled={busy || rest['aria-disabled']}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}
