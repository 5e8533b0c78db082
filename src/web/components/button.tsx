import type { ComponentProps } from 'react';
import styles from './button.module.css';

interface Props extends ComponentProps<'button'> {
  /** A screen has at most one primary button. `outline`: the main one of several. `danger`: irreversible. */
  readonly variant?: 'primary' | 'outline' | 'danger' | 'default' | 'quiet';
  /** Its request is running. The button ignores clicks but, unlike a disabled one, keeps the focus. */
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
      data-filled={variant === 'primary' || undefined}
      data-primary={variant === 'primary' || variant === 'outline' || undefined}
      className={`${styles.button} ${styles[variant]} ${className}`}
      aria-disabled={busy || rest['aria-disabled']}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}
