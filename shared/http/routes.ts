import { AUDIT_ROUTES } from './audit/routes.ts';
import { DOWNLOAD_ROUTES } from './batches/downloads/routes.ts';
import { BATCH_ROUTES } from './batches/routes.ts';
import { UPLOAD_ROUTES } from './batches/upload/routes.ts';
import { COST_ROUTES } from './cost/get-cost.ts';
import { DASHBOARD_ROUTES } from './dashboard/dashboard.ts';
import { DEAD_LETTER_ROUTES } from './dead-letters/routes.ts';
import type { Route } from './edge/route.ts';
import { HEALTH_ROUTES } from './health/health.ts';
import { HISTORY_ROUTES } from './history/get-history.ts';
import { INBOX_ROUTES } from './inbox/routes.ts';
import { ITEM_ROUTES } from './items/routes.ts';
import { OPENAPI_ROUTES } from './openapi/openapi.ts';
import { OVERVIEW_ROUTES } from './overview/get-overview.ts';
import { QUEUE_ROUTES } from './queues/routes.ts';
import { SWEEP_ROUTES } from './sweep/routes.ts';

/** All HTTP routes by resource. Each resource is a page of docs/api. */
export const RESOURCES = {
  batches: [...UPLOAD_ROUTES, ...BATCH_ROUTES, ...DOWNLOAD_ROUTES],
  items: ITEM_ROUTES,
  'dead-letters': DEAD_LETTER_ROUTES,
  inbox: INBOX_ROUTES,
  queues: QUEUE_ROUTES,
  operations: [...OVERVIEW_ROUTES, ...COST_ROUTES, ...HISTORY_ROUTES, ...AUDIT_ROUTES, ...SWEEP_ROUTES],
  app: [...HEALTH_ROUTES, ...OPENAPI_ROUTES, ...DASHBOARD_ROUTES],
} as const satisfies Record<string, readonly Route[]>;

export const ROUTES: readonly Route[] = Object.values(RESOURCES).flat();
/** The same with the exact type of each route. */
export type Routes = (typeof RESOURCES)[keyof typeof RESOURCES];

/** Groups of routes that an app may leave out. */
export interface RouteGroups {
  /** Routes that only operators may call. Without them there is no dashboard either. Defaults to true. */
  operatorApi?: boolean;
  /** Defaults to true. */
  dashboard?: boolean;
}

/** Returns the routes of an app. */
export function routesOf({ operatorApi = true, dashboard = operatorApi }: RouteGroups): readonly Route[] {
  const left: readonly Route[] = dashboard ? [] : DASHBOARD_ROUTES;
  return ROUTES.filter((route) => !left.includes(route) && (operatorApi || !isOperators(route)));
}

const isOperators = ({ audience }: Route): boolean => audience.length === 1 && audience[0] === 'operator';
