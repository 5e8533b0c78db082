import type { ComponentProps, ReactNode } from 'react';
import styles from '../button.module.css';

interface Props extends Omit<ComponentProps<'input'>, 'type' | 'onChange' | 'disabled' | 'children'> {
  readonly variant?: 'primary' | 'default';
  /** A file is being read. */
  readonly busy?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ReactNode;
}

/** Shows a button that lets the user choose a file. */
export const FileButton = ({
  variant = 'default',
  busy = false,
  className = '',
  onFiles,
  children,
  ...input
}: Props) => (
  <label
    className={`${styles.button} ${styles[variant]} ${styles.file} ${className}`}
    data-filled={variant === 'primary' || undefined}
    aria-disabled={busy || undefined}
  >
    {children}
    <input
      {...input}
      type="file"
      className="visually-hidden"
      disabled={busy}
      onChange={({ target }) => {
        const files = [...(target.files ?? [])];
        // Allows choosing the same file again after an error.
        target.value = '';
        if (files.length > 0) onFiles(files);
      }}
    />
  </label>
);
