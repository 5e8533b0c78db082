import { QueryClientProvider } from '@tanstack/react-query';
import { act, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { onTestFinished } from 'vitest';
import { followSessionEnd, ROUTES } from '#web/app/router.tsx';
import { Kit } from '#web/components/kit.tsx';
import ToastOutlet from '#web/components/toast-outlet.tsx';
import { queryClient } from '#web/lib/query-client.ts';

function Surroundings({ children }: { readonly children: ReactNode }) {
  return (
    <QueryClientProvider client={queryClient}>
      <Kit>{children}</Kit>
      <ToastOutlet />
    </QueryClientProvider>
  );
}

/** A part of a screen with what surrounds it in the application. */
export const renderPart = (part: ReactNode) => render(part, { wrapper: Surroundings });

/** The whole application at an address. */
export async function renderApp(address: string) {
  const router = createMemoryRouter(ROUTES, { initialEntries: [address] });
  onTestFinished(followSessionEnd(router));
  const view = await act(async () =>
    render(
      <>
        <RouterProvider router={router} />
        <ToastOutlet />
      </>,
    ),
  );
  return { ...view, router };
}
