import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import IconCircleX from '@tabler/icons-react/dist/esm/icons/IconCircleX.mjs';
import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import type { ComponentProps, ReactNode } from 'react';
import styles from './notice.module.css';

/** The state that the icon's colour shows. */
const STATES = { plain: undefined, good: 'good', warning: 'look', bad: 'bad' };

const ICONS = { plain: IconInfoCircle, good: IconCircleCheck, warning: IconAlertTriangle, bad: IconCircleX };

interface Props extends ComponentProps<'div'> {
  readonly tone?: keyof typeof ICONS;
  /** The action, at the end. */
  readonly act?: ReactNode;
}

/** Shows a sentence or two about the state of the content beside or below, with the remedy. */
export function Notice({ tone = 'plain', act, className = '', children, ...rest }: Props) {
  const Icon = ICONS[tone];
  return (
    <div {...rest} className={`row tint ${styles.notice} ${className}`} data-tone={tone}>
      <Icon size={18} aria-hidden data-state={STATES[tone]} />
      <div className={styles.text}>{children}</div>
      {act}
    </div>
  );
}
