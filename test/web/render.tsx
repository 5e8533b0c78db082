import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, onTestFinished } from 'vitest';
import { followSessionEnd, ROUTES } from '#web/app/router.tsx';
import { RouteError } from '#web/app/routes/route-error.tsx';
import { Shell } from '#web/app/shell/shell.tsx';
import { Toasts } from '#web/components/state/toasts.tsx';
import { queryClient } from '#web/lib/api/query-client.ts';
import type { Location } from '#web/lib/router/location.ts';
import { createRouter, type Router } from '#web/lib/router/router.ts';
import { RouterView } from '#web/lib/router/router-view.tsx';
import { RouterContext, ShownContext } from '#web/lib/router/use-router.ts';
import type { Urgency } from '#web/lib/screen/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { memoryHistory } from './memory-history.ts';

function Surroundings({ children }: { readonly children: ReactNode }) {
  return (
    <QueryClientProvider client={queryClient}>
      {children}
      <Toasts />
    </QueryClientProvider>
  );
}

/** Renders a part of a screen with the providers of the application. */
export const renderPart = (part: ReactNode) => render(part, { wrapper: Surroundings });

const SOMEWHERE = { pathname: '/', search: '', hash: '', key: 'default' };

/** Surrounds a part whose links lead nowhere. */
export function AtAnAddress({ children, location = SOMEWHERE, navigate = async () => undefined }: AddressProps) {
  const shown = { location, params: {} };
  return (
    <RouterContext value={{ state: shown, navigate, back: () => undefined, block: () => () => undefined }}>
      <ShownContext value={shown}>{children}</ShownContext>
    </RouterContext>
  );
}

interface AddressProps {
  readonly children: ReactNode;
  readonly location?: Location;
  readonly navigate?: Router['navigate'];
}

/** Renders the whole application at an address. */
export async function renderApp(address: string) {
  const history = memoryHistory(address);
  const router = createRouter(ROUTES, history);
  onTestFinished(router.stop);
  onTestFinished(followSessionEnd(router));
  const view = await act(async () =>
    render(
      <>
        <RouterView router={router} Frame={Shell} Fault={RouteError} />
        <Toasts />
      </>,
    ),
  );
  return { ...view, router, goBack: () => act(async () => history.go(-1)) };
}

/** Returns the alert of a dialog, which also contains the regions of toasts. */
export const alertIn = (dialog: Pick<typeof screen, 'getAllByRole'>): Promise<HTMLElement> =>
  waitFor(() => {
    const [alert, ...others] = dialog.getAllByRole('alert').filter((region) => !isToastRegion(region));
    expect(others).toEqual([]);
    if (alert === undefined) throw new Error('the dialog has no alert');
    return alert;
  });

const isToastRegion = (region: HTMLElement): boolean => region.getAttribute('aria-atomic') === 'false';

/** Returns the text of the toasts of an urgency, once there is one. */
export const toastText = (urgency: Urgency): Promise<string> =>
  waitFor(() => {
    const text = toastTextNow(urgency);
    expect(text).not.toBe('');
    return text;
  });

/** Returns the same at this moment, without waiting. */
export const toastTextNow = (urgency: Urgency): string =>
  screen
    .getAllByRole(urgency)
    .filter(isToastRegion)
    .map(({ textContent }) => textContent)
    .join('');

const TOLD = COMMON_MESSAGES.theirChanges.help;

/** Waits for the notice of another member's changes. */
export async function theirChanges(): Promise<HTMLElement> {
  const notice = (await screen.findByText(TOLD)).closest<HTMLElement>('[role="alert"]');
  if (notice === null) throw new Error('it is no alert');
  return notice;
}

/** Whether a notice of another member's changes is shown. */
export const showsTheirChanges = (): boolean => screen.queryByText(TOLD) !== null;
