import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import styles from './told.module.css';

/** Confirms beside a button that its action is done. Without a text the element stays, as a status region must. */
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
