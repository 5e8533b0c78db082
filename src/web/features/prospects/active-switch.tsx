import type { ProspectView } from '#contract/prospects.ts';
import { Switch } from '#web/components/switch.tsx';
import { useSaveActiveProspect } from './save-active-prospect.ts';
import { PROSPECT_MESSAGES } from './words.ts';

interface Props {
  readonly prospect: ProspectView;
  readonly groupId: number;
}

export function ActiveSwitch({ prospect, groupId }: Props) {
  const { mutate, isPending, variables } = useSaveActiveProspect(prospect, groupId);
  const active = isPending ? variables.active : prospect.active;
  return (
    <Switch
      label={PROSPECT_MESSAGES.activeOf(prospect.company_name)}
      checked={active === 1}
      busy={isPending}
      onChange={(checked) => mutate({ active: checked ? 1 : 0 })}
    />
  );
}
