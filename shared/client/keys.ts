import { AUDIENCES } from './audiences.ts';
import type { RouteKey } from './types.ts';

/** Keys of a client system and of an operator. */
export interface Keys {
  client?: string | undefined;
  operator?: string | undefined;
}

/** Returns the key that a route requires: the client's where both may call it, none where anyone may. */
export const keysByAudience =
  (keys: Keys): ((route: RouteKey) => string | undefined) =>
  (route) => {
    const [audience] = AUDIENCES[route];
    return audience === undefined ? undefined : keys[audience];
  };
