import { CLIENT_ROUTES, OPEN_ROUTES } from './audiences.ts';
import type { RouteKey } from './types.ts';

/** Keys of a client system and of an operator. */
export interface Keys {
  client?: string | undefined;
  operator?: string | undefined;
}

/** Returns the key that a route requires: the client's where both may call it, none where anyone may. */
export const keysByAudience =
  ({ client, operator }: Keys): ((route: RouteKey) => string | undefined) =>
  (route) => {
    if (OPEN_ROUTES.includes(route)) return undefined;
    return CLIENT_ROUTES.includes(route) ? client : operator;
  };
