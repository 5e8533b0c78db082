import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { COMMON_MESSAGES } from '#web/lib/words.ts';

interface Props {
  /** Absent: 閉じる. */
  readonly name?: string;
  readonly onPress: () => void;
}

/** Shows the × of a floating or temporary element. */
export function CloseButton({ name = COMMON_MESSAGES.actions.close, onPress }: Props) {
  return (
    <button type="button" className="icon-button" aria-label={name} onClick={onPress}>
      <IconX size={18} stroke={1.5} aria-hidden />
    </button>
  );
}
