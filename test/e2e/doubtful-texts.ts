/**
 * Script that defines `doubtfulTexts()`, for a page with axe: the texts whose contrast axe has to judge.
 * It omits texts that plainly have enough contrast to their background. axe takes most of its time to find backgrounds
 * by the positions of all elements.
 */
export const DOUBTFUL_TEXTS = `
window.doubtfulTexts = () => {
  const ENOUGH = 4.5;
  const NOTHING = 'rgba(0, 0, 0, 0)';
  const { Color, getContrast } = axe.commons.color;
  const colorOf = (css) => {
    const color = new Color();
    color.parseString(css);
    return color;
  };
  const memoized = (make) => {
    const made = new Map();
    return (key) => made.has(key) ? made.get(key) : made.set(key, make(key)).get(key);
  };
  const contrastOf = memoized((pair) => getContrast(...pair.split(' on ').map(colorOf)));
  const rectOf = memoized((element) => element.getBoundingClientRect());
  const paints = ({ backgroundColor, backgroundImage }) => backgroundColor !== NOTHING || backgroundImage !== 'none';

  // Its color is null where an image, a filter or transparency takes part.
  // isFloating: it is positioned above the element that has the colour, so that others may lie between.
  const backgroundOf = memoized((element) => {
    if (element === null) return { color: 'none', isFloating: false };
    const { color, isFloating } = backgroundOf(element.parentElement);
    const style = getComputedStyle(element);
    const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode, position } = style;
    const isPlain = backgroundImage === 'none' && opacity === '1' && filter === 'none' && mixBlendMode === 'normal';
    if (!isPlain || color === null) return { color: null, isFloating: false };
    if (!paints(style)) return { color, isFloating: isFloating || position !== 'static' };
    return { color: /rgba|\\//.test(backgroundColor) ? null : backgroundColor, isFloating: false };
  });
  const painted = memoized(() =>
    [...document.body.querySelectorAll('*')].filter((element) => paints(getComputedStyle(element))));
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const standsOnAnother = (text) => painted().some((other) =>
    !other.contains(text) && !text.contains(other) && meet(rectOf(other), rectOf(text)));

  const hasText = (element) => /^(input|select|textarea)$/.test(element.localName)
    ? !/^(hidden|range|color|checkbox|radio|image)$/.test(element.type)
    : [...element.childNodes].some(({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim() !== '');
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && rectOf(element).width > 1;
  const isDoubtful = (text) => {
    const { color, textShadow } = getComputedStyle(text);
    const background = backgroundOf(text);
    return background.color === null || background.color === 'none' || textShadow !== 'none' ||
      contrastOf(background.color + ' on ' + color) < ENOUGH || (background.isFloating && standsOnAnother(text));
  };
  const DISABLED = ':disabled, [aria-disabled=true], [aria-disabled=true] *';
  // The page behind an open dialog was checked in a state of its own.
  const isDialogOpen = document.querySelector('body > dialog') !== null;
  return [...document.querySelectorAll(isDialogOpen ? 'body > :not(#root) *' : 'body *')]
    .filter((element) => hasText(element) && !element.matches(DISABLED) && isShown(element) && isDoubtful(element));
};
`;
