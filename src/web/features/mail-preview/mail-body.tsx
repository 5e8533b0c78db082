import { useEffect, useRef, useState } from 'react';
import { Tabs } from '#web/components/tabs.tsx';
import styles from './mail-preview.module.css';
import { MAIL_PREVIEW_MESSAGES } from './words.ts';

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): { createHTML(html: string): unknown };
}

/** The Trusted Types policy of the sandboxed frame, in which nothing runs and nothing loads. */
const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes };

interface Props {
  readonly text: string;
  readonly html: string;
}

/** Shows the HTML and the text form of a mail, one at a time. */
export function MailBody({ text, html }: Props) {
  const messages = MAIL_PREVIEW_MESSAGES;
  const [shown, setShown] = useState<'html' | 'text'>('html');
  return (
    <Tabs
      label={messages.bodies}
      shown={shown}
      onShow={setShown}
      keepsPanels
      tabs={[
        {
          name: 'html',
          label: messages.html,
          panel: (
            <>
              <HtmlFrame title={messages.htmlFrame} html={html} />
              <p className="note">
                {messages.images}
                <span className={styles.white}>{messages.white}</span>
              </p>
            </>
          ),
        },
        {
          name: 'text',
          label: messages.text,
          panel: (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard
            <pre className={styles.text} tabIndex={0}>
              {text}
            </pre>
          ),
        },
      ]}
    />
  );
}

/** The length in characters that fits a thumbnail. */
const THUMBNAIL_TEXT = 1000;

/** Shows a small picture of a mail; nothing in it can be focused or read aloud. */
export function MailThumbnail({ text, html }: Props) {
  return (
    <div className={styles.thumbnail} aria-hidden inert>
      {html === '' ? <pre>{text.slice(0, THUMBNAIL_TEXT)}</pre> : <HtmlFrame title="" html={html} />}
    </div>
  );
}

const policy = trustedTypes?.createPolicy('mail-preview', { createHTML: (html) => html });

interface HtmlFrameProps {
  readonly title: string;
  readonly html: string;
}

/**
 * Shows foreign HTML in a frame without any rights.
 * The sandbox blocks scripts, forms and outgoing links, and has its own origin.
 */
function HtmlFrame({ title, html }: HtmlFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    // React's srcDoc would convert the trusted HTML to plain text.
    if (frame.current !== null) frame.current.srcdoc = (policy?.createHTML(html) ?? html) as string;
  }, [html]);
  return <iframe ref={frame} className={styles.frame} title={title} sandbox="" />;
}
