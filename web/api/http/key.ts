/** The key that requests carry, one for all tabs of a session, and the name that the audit log gets. */
import { signal } from '@preact/signals';
import { API } from './base.ts';

/** A gateway may serve several pipelines from one origin: the key of one is none of the others' business. */
const NAME = `sluice-key ${API.pathname}`;
const OPERATOR = 'sluice-operator';

/** Empty: none yet. Each tab keeps it for itself; tabs that are open give it to each other, and it goes with the last. */
export const key = signal(sessionStorage.getItem(NAME) ?? '');

/** Whether other tabs have had the time to give their key. */
export const isAsked = signal(key.peek() !== '');

/** Who works here, for the audit log: as it was typed, which proves nothing. */
export const operator = signal(localStorage.getItem(OPERATOR) ?? '');

/** Reaches pages of this origin alone. */
const tabs = new BroadcastChannel(NAME);
type Message = { ask: true } | { key: string };

/** What another tab takes to answer, or there is none. */
const ANSWER_MS = 200;

tabs.onmessage = (event): void => {
  const data = event.data as Message;
  if ('key' in data) take(data.key);
  else if (key.peek() !== '') tabs.postMessage({ key: key.peek() } satisfies Message);
};
if (key.peek() === '') {
  tabs.postMessage({ ask: true } satisfies Message);
  setTimeout(() => {
    isAsked.value = true;
  }, ANSWER_MS);
}

function take(value: string): void {
  if (value === '') sessionStorage.removeItem(NAME);
  else sessionStorage.setItem(NAME, value);
  key.value = value;
  isAsked.value = true;
}

/** Takes another key for all tabs, or with an empty one forgets it. */
export function keepKey(value: string): void {
  take(value);
  tabs.postMessage({ key: value } satisfies Message);
}

/** Keeps the name for the audit log. */
export function keepOperator(name: string): void {
  localStorage.setItem(OPERATOR, name);
  operator.value = name;
}
