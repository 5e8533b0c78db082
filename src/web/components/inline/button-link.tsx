import type { ComponentProps } from 'react';
import { Link } from '#web/lib/router/link.tsx';
import styles from '../button.module.css';

interface Props extends ComponentProps<typeof Link> {
  readonly variant?: 'primary' | 'default' | 'quiet';
}

/** Shows a link to another screen that looks like a button. */
export const ButtonLink = ({ variant = 'default', className = '', ...link }: Props) => (
  <Link
    {...link}
    data-filled={variant === 'primary' || undefined}
    className={`${styles.button} ${styles[variant]} ${className}`}
  />
);
