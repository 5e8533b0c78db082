import { create } from 'zustand';

/** Whether the server has answered that the account's data are being moved. A new session or a reload resets it. */
export const useMoving = create(() => ({ isMoving: false }));

/** The code of the answer while data are being moved, which any call may get. */
const MOVING = 'account_frozen';

export const forgetMoving = (): void => useMoving.setState({ isMoving: false });

export function noteMoving(code: string): void {
  if (code === MOVING) useMoving.setState({ isMoving: true });
}
