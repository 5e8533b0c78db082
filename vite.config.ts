import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { THEME, UNUSED_COLORS } from './src/web/components/theme.ts';

const API = 'http://127.0.0.1:3000';

/**
 * The theme's variables as a static file: Mantine would write them into a <style> element, which a strict
 * Content-Security-Policy forbids. The selector is `:root` alone because a list breaks the colour scheme rules.
 */
function themeVariables(): Plugin {
  const unused = new RegExp(`^--mantine-color-(?:${UNUSED_COLORS.join('|')})-`);
  const used = (variables: Record<string, string>) =>
    Object.fromEntries(Object.entries(variables).filter(([name]) => !unused.test(name)));
  return {
    name: 'theme-variables',
    enforce: 'pre',
    transform(_code, id) {
      if (!id.endsWith('/components/theme.css')) return undefined;
      const all = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, THEME));
      const kept = { variables: used(all.variables), light: used(all.light), dark: used(all.dark) };
      return convertCssVariables(kept, ':root');
    },
  };
}

export default defineConfig({
  root: 'src/web',
  plugins: [react(), themeVariables()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    // Which files a screen loads: bench/first-load.ts
    manifest: true,
    // Inlined files would be data: URLs, which the policy forbids for styles and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': API } },
  preview: { proxy: { '/api': API } },
});
