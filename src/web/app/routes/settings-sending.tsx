import { PageFrame } from '#web/components/page-frame.tsx';
import { SendingRules } from '#web/features/sending-rules/sending-rules.tsx';
import { SENDING_RULE_MESSAGES } from '#web/features/sending-rules/words.ts';
import { SettingsLayout } from './settings-layout.tsx';

export function Component() {
  return (
    <PageFrame title={SENDING_RULE_MESSAGES.title} help={SENDING_RULE_MESSAGES.help} guide="sending-rules">
      <SettingsLayout>
        <SendingRules />
      </SettingsLayout>
    </PageFrame>
  );
}
