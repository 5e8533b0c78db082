import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import IconDatabaseX from '@tabler/icons-react/dist/esm/icons/IconDatabaseX.mjs';
import IconHelp from '@tabler/icons-react/dist/esm/icons/IconHelp.mjs';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import IconHourglass from '@tabler/icons-react/dist/esm/icons/IconHourglass.mjs';
import IconPlayerPause from '@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs';
import IconPlugConnectedX from '@tabler/icons-react/dist/esm/icons/IconPlugConnectedX.mjs';
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import type { Run } from '#contract/sending/runs.ts';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import type { State } from './deliveries/view-deliveries.ts';
import { DELIVERY_MESSAGES } from './deliveries/words.ts';
import { type RunState, runState } from './run/run-state.ts';
import { HISTORY_MESSAGES } from './words.ts';

const RUN_LOOKS: Readonly<Record<RunState, StatusLook>> = {
  waiting: { tone: 'neutral', Icon: IconClock },
  sending: { tone: 'blue', Icon: IconSend },
  paused: { tone: 'amber', Icon: IconPlayerPause },
  refused: { tone: 'red', Icon: IconBan },
  policy: { tone: 'red', Icon: IconBan },
  restored: { tone: 'amber', Icon: IconHistory },
  putOff: { tone: 'neutral', Icon: IconClock },
  dayLimit: { tone: 'neutral', Icon: IconHourglass },
  limited: { tone: 'amber', Icon: IconHourglass },
  mailbox: { tone: 'amber', Icon: IconPlugConnectedX },
  transport: { tone: 'amber', Icon: IconPlugConnectedX },
  rewound: { tone: 'red', Icon: IconDatabaseX },
  undone: { tone: 'neutral', Icon: IconBan },
  finished: { tone: 'neutral', Icon: IconCheck },
};

/** A badge has space only for the cause of a refusal; its red colour shows that sending has stopped. */
const { states, stopCauses } = HISTORY_MESSAGES;
const RUN_STATE_MESSAGES = { ...states, refused: stopCauses.refused, policy: stopCauses.policy };

/** Returns the word of a run's badge. */
export const runWord = (run: Run): string => RUN_STATE_MESSAGES[runState(run)];

export const RunBadge = ({ run }: { readonly run: Run }) => (
  <StatusBadge look={RUN_LOOKS[runState(run)]} word={runWord(run)} />
);

const DELIVERY_LOOKS: Readonly<Record<State, StatusLook>> = {
  queued: { tone: 'neutral', Icon: IconClock },
  sending: { tone: 'blue', Icon: IconSend },
  sent: { tone: 'green', Icon: IconCheck },
  failed: { tone: 'red', Icon: IconX },
  unknown: { tone: 'amber', Icon: IconHelp },
  cancelled: { tone: 'neutral', Icon: IconBan },
};

export function DeliveryBadge({ state }: { readonly state: State }) {
  return <StatusBadge look={DELIVERY_LOOKS[state]} word={DELIVERY_MESSAGES.states[state]} />;
}
