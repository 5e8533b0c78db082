import type { UserEvent } from '@testing-library/user-event';

/** Pastes a text into a field. Each typed character would cost 5 ms, so type only if keys matter. */
export async function paste(user: UserEvent, field: HTMLElement, text: string): Promise<void> {
  await user.click(field);
  await user.paste(text);
}
