import type { MantineThemeOverride } from '@mantine/core';

const FONTS =
  '"Hiragino Sans", "Noto Sans JP", "Noto Sans CJK JP", "Yu Gothic UI", "Yu Gothic", Meiryo, system-ui, sans-serif';

/** Used by the client and by vite.config.ts, which writes the variables: this file must import no components. */
export const THEME: MantineThemeOverride = {
  fontFamily: FONTS,
  headings: { fontFamily: FONTS, fontWeight: '700' },
  primaryColor: 'blue',
  // #1864ab on white: 6.2:1. In dark mode one step lighter, which has 4.9:1 with white letters.
  primaryShade: { light: 9, dark: 8 },
  defaultRadius: 4,
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.3' },
  respectReducedMotion: true,
  cursorType: 'pointer',
};

/** Unused colours of the kit, whose variables are left out of the style sheet. */
export const UNUSED_COLORS = ['pink', 'grape', 'violet', 'indigo', 'cyan', 'lime', 'orange', 'teal'];
