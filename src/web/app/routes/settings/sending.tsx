import { useQuery } from '@tanstack/react-query';
import { PageFrame } from '#web/components/page-frame.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { senderGroupList } from '#web/features/senders/list-sender-groups.ts';
import { SendingRules } from '#web/features/sending-rules/sending-rules.tsx';
import { SENDING_RULE_MESSAGES } from '#web/features/sending-rules/words.ts';
import { SENDING } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { SettingsLayout } from '../../settings/settings-layout.tsx';

export function Component() {
  const [{ group }, change] = useAddress(SENDING);
  const accountId = useSession((state) => state.current_user?.id);
  const { data, error, refetch } = useQuery({
    ...senderGroupList(accountId ?? 0),
    enabled: accountId !== undefined,
  });
  return (
    <PageFrame title={SENDING_RULE_MESSAGES.title} help={SENDING_RULE_MESSAGES.help} guide="sending-rules">
      <SettingsLayout>
        {data === undefined ? (
          <NotLoaded what={SENDING_RULE_MESSAGES.title} error={error} onRetry={() => void refetch()} />
        ) : (
          <SendingRules groups={data} groupId={group} onGroup={(id) => change({ group: id })} />
        )}
      </SettingsLayout>
    </PageFrame>
  );
}
