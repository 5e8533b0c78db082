import { erasePersonalData, viewPersonalData } from '#contract/companies/personal-data.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { erase } from './erase.command.ts';
import { view } from './view.command.ts';

export function addPersonalDataRoutes(addRoute: AddRoute): void {
  addRoute(viewPersonalData, ({ body, account }) => view(account, body.email));

  addRoute(erasePersonalData, ({ body, account }) => erase(account, body));
}
