import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { expect, onTestFinished } from 'vitest';
import { followSessionEnd, ROUTES } from '#web/app/router.tsx';
import { Kit } from '#web/components/kit.tsx';
import { Toasts } from '#web/components/toasts.tsx';
import { queryClient } from '#web/lib/query-client.ts';
import type { Urgency } from '#web/lib/toast.ts';

function Surroundings({ children }: { readonly children: ReactNode }) {
  return (
    <QueryClientProvider client={queryClient}>
      <Kit>{children}</Kit>
      <Toasts />
    </QueryClientProvider>
  );
}

/** Renders a part of a screen with the providers of the application. */
export const renderPart = (part: ReactNode) => render(part, { wrapper: Surroundings });

/** Renders the whole application at an address. */
export async function renderApp(address: string) {
  const router = createMemoryRouter(ROUTES, { initialEntries: [address] });
  onTestFinished(followSessionEnd(router));
  const view = await act(async () =>
    render(
      <>
        <RouterProvider router={router} />
        <Toasts />
      </>,
    ),
  );
  return { ...view, router };
}

/** Returns the text of the toasts of an urgency, once there is one. */
export const toastText = (urgency: Urgency): Promise<string> =>
  waitFor(() => {
    const text = toastTextNow(urgency);
    expect(text).not.toBe('');
    return text;
  });

/** Returns the same at this moment. */
export const toastTextNow = (urgency: Urgency): string =>
  screen
    .getAllByRole(urgency)
    .filter((region) => region.getAttribute('aria-atomic') === 'false')
    .map(({ textContent }) => textContent)
    .join('');
