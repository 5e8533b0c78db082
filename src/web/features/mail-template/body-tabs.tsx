import '@mantine/core/styles/Tabs.css';
import { Tabs } from '@mantine/core';
import type { RefCallback } from 'react';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { CodeField, type FieldHandle } from './code-field.tsx';
import styles from './mail-template.module.css';
import type { FieldKey, TemplateForm } from './template-form.ts';
import type { Faults } from './template-query.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

const BODIES = ['html', 'text'] as const;
export type Body = (typeof BODIES)[number];
const isBody = (text: string | null): text is Body => text === 'html' || text === 'text';

interface Props {
  readonly shown: Body;
  readonly form: TemplateForm;
  readonly faults: Faults;
  readonly keep: (key: FieldKey) => RefCallback<FieldHandle>;
  readonly onShow: (body: Body) => void;
  readonly onChange: (change: Partial<TemplateForm>) => void;
  readonly onFocus: () => void;
}

/** The two bodies of a template, one at a time. */
export function BodyTabs({ shown, form, faults, keep, onShow, onChange, onFocus }: Props) {
  return (
    <Tabs
      value={shown}
      onChange={(value) => isBody(value) && onShow(value)}
      classNames={{ root: styles.bodies, panel: styles.body, tab: styles.tab }}
    >
      <Tabs.List aria-label={TEMPLATE_MESSAGES.bodies}>
        {BODIES.map((mode) => (
          <Tabs.Tab key={mode} value={mode}>
            {TEMPLATE_MESSAGES[mode]}
            {faults[`${mode}_body`] === undefined ? '' : TEMPLATE_MESSAGES.faulty}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {BODIES.map((mode) => (
        <Tabs.Panel key={mode} value={mode}>
          <PartBoundary waiting={<div className={styles.codeBox} aria-busy />}>
            <CodeField
              ref={keep(`${mode}_body`)}
              label={TEMPLATE_MESSAGES[mode]}
              help={TEMPLATE_MESSAGES[`${mode}Help`]}
              mode={mode}
              value={form[`${mode}_body`]}
              fault={faults[`${mode}_body`]}
              onChange={(text) => onChange({ [`${mode}_body`]: text })}
              onFocus={onFocus}
            />
          </PartBoundary>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
