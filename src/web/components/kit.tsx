import './theme.css';
import './kit.css';
import { type MantineColorSchemeManager, MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAppearance } from '#web/lib/appearance.ts';
import { THEME } from './theme.ts';

/** Follows the system's colour scheme unless lib/appearance.ts has another, and stores nothing. */
const followSystem: MantineColorSchemeManager = {
  get: (fallback) => fallback,
  set: () => undefined,
  subscribe: () => undefined,
  unsubscribe: () => undefined,
  clear: () => undefined,
};

/** jsdom has no transitions. */
const ENV = import.meta.env.MODE === 'test' ? 'test' : 'default';

/**
 * Surrounds everything that uses Mantine, and stops it from writing <style> elements.
 * Mantine's variables come from theme.css. The login screen does not use the kit, which would double its first load.
 */
export function Kit({ children }: { readonly children: ReactNode }) {
  const scheme = useAppearance((appearance) => appearance.scheme);
  return (
    <MantineProvider
      theme={THEME}
      env={ENV}
      defaultColorScheme="auto"
      {...(scheme !== 'system' && { forceColorScheme: scheme })}
      colorSchemeManager={followSystem}
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      {children}
    </MantineProvider>
  );
}
