import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import { FRAME_MESSAGES } from '../words.ts';
import styles from './told.module.css';

/**
 * Says 保存済み at a control that stores each choice at once. A form has one 保存 instead (FormFoot).
 * The place is kept without a choice too: a status region must exist before its text.
 */
export const SavedMark = ({ isSaved }: { readonly isSaved: boolean }) => (
  <span role="status" className={`${styles.told} ${styles.mark}`}>
    {isSaved ? (
      <>
        {FRAME_MESSAGES.saved}
        <IconCheck size={14} aria-hidden />
      </>
    ) : null}
  </span>
);
