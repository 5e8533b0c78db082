import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import { Link } from '#web/lib/router/link.tsx';
import styles from './check-list.module.css';

/** The result of a check before sending. */
export interface Check {
  readonly kind: 'fine' | 'warning';
  readonly text: string;
  /** Leads to where it is mended. */
  readonly link?: { readonly to: string; readonly text: string };
}

export function CheckList({ label, checks }: { readonly label: string; readonly checks: readonly Check[] }) {
  return (
    <ul className={styles.checks} aria-label={label}>
      {checks.map(({ kind, text, link }) => (
        <li key={text} data-kind={kind}>
          {kind === 'fine' ? <IconCheck size={16} aria-hidden /> : <IconAlertTriangle size={16} aria-hidden />}
          <span>
            {text}
            {link === undefined ? null : (
              <>
                {' '}
                <Link to={link.to}>{link.text}</Link>
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
