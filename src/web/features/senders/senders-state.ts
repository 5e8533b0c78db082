import { goToPage } from '#web/lib/screen/paging-state.ts';
import { sessionSlice } from '#web/lib/session/session-store.ts';

/** The chosen sender group and sender by id, under the specification's names; null: the first of the list. */
interface SendersState {
  readonly current_sender_group: number | null;
  readonly current_sender: number | null;
}

export const useSenders = sessionSlice<SendersState>(({ current_sender_group = null, current_sender = null }) => ({
  current_sender_group,
  current_sender,
}));

/** Selects a group, and drops the sender and the list's page, which belong to the previous group. */
export function selectSenderGroup(id: number): void {
  useSenders.setState({ current_sender_group: id, current_sender: null });
  goToPage(1);
}

export function selectSender(id: number): void {
  useSenders.setState({ current_sender: id });
}
