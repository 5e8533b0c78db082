import { getFirstSteps, updateFirstSteps } from '#contract/first-steps.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { dismissFirstSteps } from './dismiss.command.ts';
import { readFirstSteps } from './first-steps.queries.ts';

export function addFirstStepsRoutes(addRoute: AddRoute, { publicUrl }: { readonly publicUrl: string }): void {
  addRoute(getFirstSteps, ({ account }) => readFirstSteps(account, publicUrl));

  addRoute(updateFirstSteps, ({ body: { update_info }, account }) =>
    dismissFirstSteps(account, update_info.dismissed === 1),
  );
}
