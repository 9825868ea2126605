/** Longest time that Queue Storage hides a message (learn: put-message). */
export const MAX_DELAY_SECONDS = 7 * 86_400;
