import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { Children, type ComponentProps, type ReactNode } from 'react';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { Button } from '../button.tsx';
import styles from './dialog-foot.module.css';
import { Menu } from './menu.tsx';

interface Props {
  /** Above the buttons: a question, its ticks, and what a button waits for. */
  readonly children?: ReactNode;
  /** The button that changes nothing: キャンセル, 閉じる. */
  readonly stay?: ReactNode;
  /** Buttons of further acts. Where three buttons or more stand here, phones show these under ⋯. */
  readonly others?: ReactNode;
  /** The button of what the dialog is for. */
  readonly act?: ReactNode;
}

/** The usual button that changes nothing. */
export const CancelButton = (props: Omit<ComponentProps<typeof Button>, 'children'>) => (
  <Button {...props}>{COMMON_MESSAGES.actions.cancel}</Button>
);

const dots = (
  <>
    <IconDots size={18} aria-hidden />
    <span className="visually-hidden">{COMMON_MESSAGES.actions.more}</span>
  </>
);

/** The buttons of a dialog, in view below what scrolls. */
export function DialogFoot({ children, stay, others, act }: Props) {
  const isNarrow = useNarrowScreen();
  const further = Children.toArray(others).length;
  const isFolded = isNarrow && further + Children.toArray([stay, act]).length > 2;
  return (
    <div className={styles.foot} data-dialog-foot>
      {children === undefined ? null : <div className={`stack ${styles.text}`}>{children}</div>}
      <div className={styles.buttons}>
        {further === 0 ? null : (
          <span className={styles.others}>
            {isFolded ? (
              <Menu onTop="above" variant="default" label={dots}>
                {others}
              </Menu>
            ) : (
              others
            )}
          </span>
        )}
        {stay}
        {act}
      </div>
    </div>
  );
}
