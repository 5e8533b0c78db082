/**
 * Whether this is a screen for one column: a phone. The style sheets say the same by `@media (width <= 640px)`, and of wider ones
 * `(width > 640px)`; `min-width: 641px` would leave out the widths between, which a zoomed page has.
 */
export const isNarrowScreen = (): boolean => matchMedia('(width <= 640px)').matches;
