import { signal } from '@preact/signals';

/** Time of the last key press or click in this page, or of the last return to it. */
export const touchedAt = signal(Date.now());

const touch = (): void => {
  touchedAt.value = Date.now();
};
for (const event of ['pointerdown', 'keydown', 'visibilitychange']) document.addEventListener(event, touch, true);
