import { SCHEDULE_MESSAGES } from '#web/components/schedule/words.ts';
import { updateAttackListSettings, useAttackList } from '#web/features/attack-list/attack-list-state.ts';
import { ATTACK_LIST_MESSAGES } from '#web/features/attack-list/words.ts';
import { type BarProps, FirstStepsBar } from '#web/features/first-steps/first-steps-bar.tsx';

/** Turns both modes off. The button that did it is gone then, so the one that sends gets the focus. */
function turnOff(): void {
  updateAttackListSettings({ is_test_mode: false, is_reservation_mode: false });
  document.querySelector<HTMLElement>('main [data-primary]')?.focus();
}

/** Shows the bar of the first steps. Its last step turns off the modes that keep mails from the companies. */
export default function FirstDayBar(bar: Omit<BarProps, 'modes'>) {
  const { is_test_mode, is_reservation_mode } = useAttackList((state) => state.attack_list_settings);
  const on = [
    ...(is_test_mode ? [ATTACK_LIST_MESSAGES.testMode] : []),
    ...(is_reservation_mode ? [SCHEDULE_MESSAGES.reservationMode] : []),
  ];
  return <FirstStepsBar {...bar} modes={{ on, turnOff }} />;
}
