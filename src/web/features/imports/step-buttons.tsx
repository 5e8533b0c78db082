import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import type { ReactNode } from 'react';
import { Button } from '#web/components/button.tsx';
import type { Step } from '#web/lib/address/params.ts';
import styles from './import-screen.module.css';
import { IMPORT_MESSAGES } from './words.ts';

/** Shows the buttons of a step, which stay visible below a long table. */
export const StepButtons = ({ children }: { readonly children: ReactNode }) => (
  <div className={`row ${styles.buttons}`}>{children}</div>
);

/** Leads from the columns back to how the file is read. */
export const ReadingButton = ({ onStep }: { readonly onStep: (step: Step) => void }) => (
  <Button onClick={() => onStep('file')}>
    <IconChevronLeft size={16} aria-hidden />
    {IMPORT_MESSAGES.steps.reading}
  </Button>
);
