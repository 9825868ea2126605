import { signal } from '@preact/signals';

/** When somebody pressed a key or a button in this page for the last time, or came back to it. */
export const touchedAt = signal(Date.now());

const touch = (): void => {
  touchedAt.value = Date.now();
};
for (const event of ['pointerdown', 'keydown', 'visibilitychange']) document.addEventListener(event, touch, true);
