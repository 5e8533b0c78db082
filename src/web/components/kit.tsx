import './theme.css';
import './kit.css';
import { type MantineColorSchemeManager, MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { THEME } from './theme.ts';

/** Light or dark is the system's choice; nothing of it is stored. */
const followSystem: MantineColorSchemeManager = {
  get: (fallback) => fallback,
  set: () => undefined,
  subscribe: () => undefined,
  unsubscribe: () => undefined,
  clear: () => undefined,
};

/** jsdom plays no transitions. */
const ENV = import.meta.env.MODE === 'test' ? 'test' : 'default';

/**
 * Around whatever uses Mantine, which then writes no <style> element: its variables come from theme.css. The login screen does
 * without the kit (half of its first load).
 */
export function Kit({ children }: { readonly children: ReactNode }) {
  return (
    <MantineProvider
      theme={THEME}
      env={ENV}
      defaultColorScheme="auto"
      colorSchemeManager={followSystem}
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      {children}
    </MantineProvider>
  );
}
