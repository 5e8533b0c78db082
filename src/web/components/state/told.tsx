import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import styles from './told.module.css';

/** Says beside what was pressed that it is done. Without a text its place is kept, as a status region must be. */
export const Told = ({ children }: { readonly children: string | null }) => (
  <p role="status" className={styles.told}>
    {children === null ? null : (
      <>
        <IconCircleCheck size={16} aria-hidden />
        <span>{children}</span>
      </>
    )}
  </p>
);
