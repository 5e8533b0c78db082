/** The maximum time in ms between the release of a tap and its click. */
const CLICK_MS = 50;

/** Calls `onPress` at a press, before the focus moves, and `onRelease` after its click. */
export function followPresses(onPress: () => void, onRelease: () => void, signal: AbortSignal): void {
  const options = { capture: true, passive: true, signal };
  const release = () => setTimeout(onRelease, CLICK_MS);
  addEventListener('pointerdown', onPress, options);
  addEventListener('pointerup', release, options);
  addEventListener('pointercancel', release, options);
}
