import { getFirstSteps, updateFirstSteps } from '#contract/account/first-steps.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { dismissFirstSteps } from './dismiss.command.ts';
import { readFirstSteps } from './first-steps.queries.ts';

export function addFirstStepsRoutes(addRoute: AddRoute, services: Parameters<typeof readFirstSteps>[1]): void {
  addRoute(getFirstSteps, ({ account }) => readFirstSteps(account, services));

  addRoute(updateFirstSteps, ({ body: { update_info }, account }) =>
    dismissFirstSteps(account, update_info.dismissed === 1),
  );
}
