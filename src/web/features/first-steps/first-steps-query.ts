import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { isBareList } from '#web/lib/address/paths.ts';
import { type AnswerOf, type CallName, call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { FIRST_STEPS } from '#web/lib/api/query-keys.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';
import { useLocation } from '#web/lib/router/use-router.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { sessionSlice } from '#web/lib/session/session-store.ts';
import { useMay } from '#web/lib/session/use-may.ts';

export type FirstSteps = AnswerOf<'getFirstSteps'>;

interface Memory {
  /** The last answer, with which a reloaded screen shows the bar at once, without a call. */
  readonly first_steps: FirstSteps | null;
  /** Whether this session has shown the list, so that the first sight does not take its place. */
  readonly is_list_opened: boolean;
}
const useMemory = sessionSlice<Memory>(({ first_steps = null, is_list_opened = false }) => ({
  first_steps,
  is_list_opened,
}));

/** Shows the list of companies from now on, in place of the first sight. */
export const openList = (): void => useMemory.setState({ is_list_opened: true });

export const rememberFirstSteps = (first_steps: FirstSteps): void => useMemory.setState({ first_steps });

/** The steps in their order. */
export const STEPS = [
  'legal_profile_ready',
  'sender_confirmed',
  'companies_imported',
  'template_edited',
  'test_sent',
  'mail_sent',
] as const satisfies readonly (keyof FirstSteps['steps'])[];
export type Step = (typeof STEPS)[number];

/** Calls that may complete a step, besides those that reload the lists. */
export const STEP_CALLS: ReadonlySet<CallName> = new Set([
  'updateLegalProfile',
  'sendSenderConfirmation',
  'updateMailTemplate',
  'sendTemplateTest',
  'addMailTemplate',
]);

/** Whether the member has steps left, and has not hidden the bar. */
export const isUnderWay = ({ dismissed, steps }: FirstSteps): boolean => dismissed === 0 && steps.mail_sent === 0;

/** Returns the first step that is not done; null: all are. */
export const nextStep = ({ steps }: FirstSteps): Step | null => STEPS.find((step) => steps[step] === 0) ?? null;

/** Whether the member is led through the steps: most of them need an admin. */
export const useIsLed = (): boolean => useMay('updateLegalProfile');

/** Whether the bar is shown and has steps left. */
export function useFirstDay(): boolean {
  const isLed = useIsLed();
  return useMemory(({ first_steps }) => first_steps !== null && isUnderWay(first_steps)) && isLed;
}

/** Whether the screen shows the first sight in place of an empty list. @param data undefined: not known */
export function useFirstSight(data: FirstSteps | undefined): boolean {
  const isOpened = useMemory((state) => state.is_list_opened);
  const isLed = useIsLed();
  return isBareList(useLocation()) && isLed && !isOpened && data?.is_empty === 1 && isUnderWay(data);
}

/** Fetches the facts of the first day. Actions on other screens change them. */
export const firstSteps = queryOptions({
  queryKey: [FIRST_STEPS],
  queryFn: async ({ signal }): Promise<FirstSteps> => unwrap(await call('getFirstSteps', {}, { signal })),
  initialData: () => useMemory.getState().first_steps ?? undefined,
  // The screen does not repeat a request that its opening has just made.
  staleTime: 1000,
  // The list on the same screen reports a lost connection.
  meta: { quiet: true },
});

/** Hides the bar for the member, or shows it again. */
export async function dismissFirstSteps(client: QueryClient, dismissed: 0 | 1): Promise<void> {
  const body = { update_info: { dismissed } };
  unwrap(await call('updateFirstSteps', { body }));
  await client.invalidateQueries({ queryKey: [FIRST_STEPS] });
}

/** Adds the sample companies to the list. @returns how many */
export async function addSamples(client: QueryClient): Promise<number> {
  const { companies } = unwrap(await call('addSampleCompanies', {}));
  reloadLists(client);
  return companies;
}

/** Removes the sample companies. @returns how many */
export async function removeSamples(client: QueryClient): Promise<number> {
  const { companies } = unwrap(await call('removeSampleCompanies', {}));
  reloadLists(client);
  return companies;
}

/** Requests the mail that confirms the address of the first sender. */
export async function askForConfirmation(client: QueryClient, senderId: number): Promise<void> {
  const answer = await call('sendSenderConfirmation', { params: { id: String(senderId) } });
  if (!answer.ok) toast('warning', answer.message);
  await client.invalidateQueries({ queryKey: [FIRST_STEPS] });
}
