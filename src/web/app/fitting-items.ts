/**
 * Returns how many of the first items fit. The others go into a menu, whose button needs width too.
 *
 * @param widths of the items in px
 * @param room for items and menu in px
 * @param menu the width of the menu's button in px
 */
export function fittingItems(widths: readonly number[], room: number, menu: number): number {
  const ends = widths.map((_, last) => widths.slice(0, last + 1).reduce((sum, width) => sum + width, 0));
  if ((ends.at(-1) ?? 0) <= room) return widths.length;
  return ends.filter((end) => end + menu <= room).length;
}
