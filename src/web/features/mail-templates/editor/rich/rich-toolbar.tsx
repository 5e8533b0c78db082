import IconBold from '@tabler/icons-react/dist/esm/icons/IconBold.mjs';
import IconLink from '@tabler/icons-react/dist/esm/icons/IconLink.mjs';
import IconList from '@tabler/icons-react/dist/esm/icons/IconList.mjs';
import IconListNumbers from '@tabler/icons-react/dist/esm/icons/IconListNumbers.mjs';
import { Button } from '#web/components/button.tsx';
import { RICH_MESSAGES } from '../words.ts';
import type { RichCommand, RichState } from './create-rich-editor.ts';
import styles from './rich-field.module.css';

const COMMANDS = [
  ['bold', IconBold],
  ['bulletList', IconList],
  ['orderedList', IconListNumbers],
] as const;

interface Props {
  readonly state: RichState;
  readonly onToggle: (command: RichCommand) => void;
  readonly onLink: () => void;
}

/** The buttons of the simple editor. The text keeps its selection while one is pressed. */
export function RichToolbar({ state, onToggle, onLink }: Props) {
  const keepFocus = (event: { preventDefault(): void }) => event.preventDefault();
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={RICH_MESSAGES.toolbar}>
      {COMMANDS.map(([command, Icon]) => (
        <Button
          key={command}
          aria-pressed={state[command]}
          title={RICH_MESSAGES[command]}
          onMouseDown={keepFocus}
          onClick={() => onToggle(command)}
        >
          <Icon size={16} aria-hidden />
          <span className={styles.word}>{RICH_MESSAGES[command]}</span>
        </Button>
      ))}
      <Button aria-pressed={state.href !== null} title={RICH_MESSAGES.link} onMouseDown={keepFocus} onClick={onLink}>
        <IconLink size={16} aria-hidden />
        <span className={styles.word}>{RICH_MESSAGES.link}</span>
      </Button>
    </div>
  );
}
