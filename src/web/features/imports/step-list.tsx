import { importPath, STEPS, type Step } from '#web/lib/address/params.ts';
import { Link } from '#web/lib/router/link.tsx';
import styles from './import-screen.module.css';
import { IMPORT_MESSAGES } from './words.ts';

interface Props {
  readonly id: number | undefined;
  readonly step: Step;
  /** The steps that the import can show. */
  readonly open: readonly Step[];
}

/** The four steps. Those that the import can show are links. */
export function StepList({ id, step, open }: Props) {
  const { steps } = IMPORT_MESSAGES;
  return (
    <nav aria-label={steps.label}>
      <ol className={styles.steps}>
        {STEPS.map((one) => (
          <li key={one} aria-current={one === step ? 'step' : undefined}>
            {one !== step && open.includes(one) ? (
              <Link to={importPath(id, one)}>{steps[one]}</Link>
            ) : (
              <span>{steps[one]}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
