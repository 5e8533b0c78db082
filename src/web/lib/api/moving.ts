import { create } from 'zustand';

/** Whether the server has said that the account's data are being moved. Another session, or a reload, ends it. */
export const useMoving = create(() => ({ isMoving: false }));

/** The code of that answer. It is every call's. */
const MOVING = 'account_frozen';

export const forgetMoving = (): void => useMoving.setState({ isMoving: false });

export function noteMoving(code: string): void {
  if (code === MOVING) useMoving.setState({ isMoving: true });
}
