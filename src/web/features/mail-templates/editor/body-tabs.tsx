import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { type BodyProps, faultIn, HtmlBody, RichBody, TextBody } from './body-editors.tsx';
import { ConversionDialog } from './conversion-dialog.tsx';
import styles from './mail-template.module.css';
import type { EditorKind } from './template-form.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

const MODES = ['rich', 'html', 'text'] as const;
const isMode = (text: string | null): text is EditorKind => MODES.some((mode) => mode === text);

/** The body of a template in one of three editors. */
export function BodyTabs(props: BodyProps) {
  const { body, form, faults } = props;
  return (
    <Tabs
      value={body.mode}
      // An arrow key moves the focus alone: a change of the editor may ask a question.
      activateTabWithKeyboard={false}
      onChange={(value) => isMode(value) && body.show(value)}
      classNames={{ root: styles.bodies, panel: styles.body, tab: styles.tab }}
    >
      <Tabs.List aria-label={TEMPLATE_MESSAGES.bodies}>
        {MODES.map((mode) => (
          <Tabs.Tab key={mode} value={mode}>
            {TEMPLATE_MESSAGES.modes[mode]}
            {faultIn(mode, form, faults) === undefined ? '' : TEMPLATE_MESSAGES.faulty}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Panel mode="rich" {...props}>
        <RichBody {...props} />
      </Panel>
      <Panel mode="html" {...props}>
        <HtmlBody {...props} />
      </Panel>
      <Panel mode="text" {...props}>
        <TextBody {...props} />
      </Panel>
      {body.asked === null ? null : (
        <ConversionDialog
          conversion={body.asked}
          onStay={body.cancel}
          onGo={() => body.asked !== null && body.convert(body.asked)}
        />
      )}
    </Tabs>
  );
}

interface PanelProps extends Pick<BodyProps, 'body'> {
  readonly mode: EditorKind;
  readonly children: ReactNode;
}

function Panel({ mode, body, children }: PanelProps) {
  return (
    <Tabs.Panel value={mode}>
      {body.isSeen(mode) ? (
        <PartBoundary waiting={<div className={styles.codeBox} aria-busy />}>{children}</PartBoundary>
      ) : null}
    </Tabs.Panel>
  );
}
