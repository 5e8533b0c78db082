import { type ReactNode, useId } from 'react';
import { FETCH_LIMITS, MAX_EMAIL_LENGTH } from '#domain/limits.ts';
import { SelectField } from '#web/components/select-field.tsx';
import { TextField } from '#web/components/text-field.tsx';
import { type AttackListSettings, type TypedSettings, updateAttackListSettings } from './attack-list-state.ts';
import { FollowUpField } from './follow-up-field.tsx';
import { ModeSwitch } from './mode-switch.tsx';
import type { SettingsFaults } from './settings-draft.ts';
import styles from './settings-panel.module.css';
import { ATTACK_LIST_MESSAGES } from './words.ts';

const LIMITS = FETCH_LIMITS.map((limit) => ({ value: String(limit), label: ATTACK_LIST_MESSAGES.limitOption(limit) }));

interface Props {
  readonly settings: AttackListSettings;
  readonly senderGroupId: number;
  readonly draft: TypedSettings;
  readonly faults: SettingsFaults;
  readonly onDraft: (change: Partial<TypedSettings>) => void;
  /** Further settings. */
  readonly children: ReactNode;
}

export function SettingsPanel({ settings, senderGroupId, draft, faults, onDraft, children }: Props) {
  const titleId = useId();
  const messages = ATTACK_LIST_MESSAGES;
  return (
    <section className={styles.panel} aria-labelledby={titleId}>
      <h2 id={titleId} className={styles.title}>
        {messages.settings}
      </h2>
      <TextField
        className={styles.small}
        label={messages.days}
        inputMode="numeric"
        autoComplete="off"
        value={draft.days}
        help={settings.days_from_lastday === 0 ? messages.again : undefined}
        error={faults.days}
        onChange={(days) => onDraft({ days })}
      />
      <FollowUpField settings={settings} senderGroupId={senderGroupId} />
      <SelectField
        className={styles.small}
        label={messages.limit}
        choices={LIMITS}
        value={String(settings.limit_count)}
        onChange={(value) => updateAttackListSettings({ limit_count: Number(value) })}
      />
      <ModeSwitch
        label={messages.testMode}
        checked={settings.is_test_mode}
        onChange={(is_test_mode) => updateAttackListSettings({ is_test_mode })}
      />
      {settings.is_test_mode ? (
        <>
          <TextField
            className={styles.wide}
            label={messages.testTo}
            type="text"
            inputMode="email"
            autoComplete="off"
            spellCheck={false}
            maxLength={MAX_EMAIL_LENGTH}
            info={messages.testToHelp}
            value={draft.testTo}
            error={faults.testTo}
            onChange={(testTo) => onDraft({ testTo })}
          />
          <TextField
            className={styles.small}
            label={messages.testLimit}
            inputMode="numeric"
            autoComplete="off"
            value={draft.testLimit}
            error={faults.testLimit}
            onChange={(testLimit) => onDraft({ testLimit })}
          />
        </>
      ) : null}
      {children}
    </section>
  );
}
