import { useState } from 'react';
import { Tabs } from '#web/components/tabs.tsx';
import { HtmlFrame } from './html-frame.tsx';
import styles from './mail-preview.module.css';
import { MAIL_PREVIEW_MESSAGES } from './words.ts';

interface Props {
  readonly text: string;
  readonly html: string;
}

/** Shows both forms of a mail, one at a time. */
export function MailBody({ text, html }: Props) {
  const messages = MAIL_PREVIEW_MESSAGES;
  const [shown, setShown] = useState<'html' | 'text'>('html');
  return (
    <Tabs
      label={messages.bodies}
      shown={shown}
      onShow={setShown}
      keepsPanels
      classes={{ tab: styles.tab }}
      tabs={[
        {
          name: 'html',
          label: messages.html,
          panel: (
            <>
              <HtmlFrame title={messages.htmlFrame} html={html} />
              <p className={styles.note}>
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
