import type { MantineThemeOverride } from '@mantine/core';

const FONTS =
  '"Hiragino Sans", "Noto Sans JP", "Noto Sans CJK JP", "Yu Gothic UI", "Yu Gothic", Meiryo, system-ui, sans-serif';

/** Read by the client and, for the static variables, by vite.config.ts: no components in here. */
export const THEME: MantineThemeOverride = {
  fontFamily: FONTS,
  headings: { fontFamily: FONTS, fontWeight: '700' },
  primaryColor: 'blue',
  // #1864ab on white: 6.2:1. In the dark a step lighter, which still carries white letters at 4.9:1.
  primaryShade: { light: 9, dark: 8 },
  defaultRadius: 4,
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.3' },
  respectReducedMotion: true,
  cursorType: 'pointer',
};

/** Colours of the kit that no screen uses: their variables are left out of the style sheet. */
export const UNUSED_COLORS = ['pink', 'grape', 'violet', 'indigo', 'cyan', 'lime', 'orange', 'teal'];
