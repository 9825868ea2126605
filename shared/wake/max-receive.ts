/** Most messages of one receive (learn: get-messages). In a file without imports, as the dashboard plans with it, too. */
export const MAX_RECEIVE = 32;
