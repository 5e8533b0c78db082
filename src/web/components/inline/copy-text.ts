import { toast } from '#web/lib/screen/toast.ts';
import { FRAME_MESSAGES } from '../words.ts';

/** Copies a text, and says so. Browsers offer the clipboard only on https and on localhost. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast('success', FRAME_MESSAGES.copied);
  } catch {
    toast('warning', FRAME_MESSAGES.notCopied);
  }
}
