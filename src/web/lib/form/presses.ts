/** A tap clicks within this time after its release. */
const CLICK_MS = 50;

/** Calls `onPress` as something is pressed, before the focus moves, and `onRelease` once its click is over. */
export function followPresses(onPress: () => void, onRelease: () => void, signal: AbortSignal): void {
  const options = { capture: true, passive: true, signal };
  const release = () => setTimeout(onRelease, CLICK_MS);
  addEventListener('pointerdown', onPress, options);
  addEventListener('pointerup', release, options);
  addEventListener('pointercancel', release, options);
}
