import { create } from 'zustand';

/** Whether the server has said that the account's data are being moved. Loading the page again ends it. */
export const useMoving = create(() => ({ isMoving: false }));

/** The code of that answer. It is every call's. */
const MOVING = 'account_frozen';

export function noteMoving(code: string): void {
  if (code === MOVING) useMoving.setState({ isMoving: true });
}
