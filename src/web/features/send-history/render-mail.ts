import type { ReactNode } from 'react';

/** Renders both forms of a mail. A route passes it in, because mails are another feature's work. */
export type RenderMail = (mail: { readonly text: string; readonly html: string }) => ReactNode;
