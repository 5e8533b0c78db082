import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import IconHourglass from '@tabler/icons-react/dist/esm/icons/IconHourglass.mjs';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import type { ReservationState } from '#contract/sending/reservations-names.ts';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { ALL_RESERVATIONS_MESSAGES } from './words.ts';

/** The look of each state. */
export const STATE_LOOKS: Readonly<Record<ReservationState, StatusLook>> = {
  pending: { tone: 'blue', Icon: IconClock },
  held: { tone: 'amber', Icon: IconHistory },
  missed: { tone: 'red', Icon: IconX },
  refused: { tone: 'amber', Icon: IconAlertTriangle },
  waiting: { tone: 'neutral', Icon: IconHourglass },
  sent: { tone: 'neutral', Icon: IconCheck },
  cancelled: { tone: 'neutral', Icon: IconBan },
  deleted: { tone: 'neutral', Icon: IconBan },
};

export const ReservationBadge = ({ state }: { readonly state: ReservationState }) => (
  <StatusBadge look={STATE_LOOKS[state]} word={ALL_RESERVATIONS_MESSAGES.states[state]} />
);
