/**
 * Whether the screen has room for one column, as on a phone.
 * The style sheets use `@media (width <= 640px)` and `(width > 640px)`. `min-width: 641px` would leave out the widths
 * between, which a zoomed page can have.
 */
export const isNarrowScreen = (): boolean => matchMedia('(width <= 640px)').matches;
