/** The key of all requests, shared by the tabs of a session, and the operator's name for the audit log. */
import { signal } from '@preact/signals';

/** The script is served at <api>/dashboard/<file>, wherever a gateway puts the API. */
export const API = new URL('../', import.meta.url);

/** A gateway may serve several pipelines from one origin; each has its own key. */
const NAME = `sluice-key ${API.pathname}`;
const OPERATOR = 'sluice-operator';

/** Empty if there is no key yet. Each tab stores the key and passes it to new tabs; closing the last tab deletes it. */
export const key = signal(sessionStorage.getItem(NAME) ?? '');

/** Whether other tabs have had time to pass on their key. */
export const isAsked = signal(key.peek() !== '');

/** The operator's name for the audit log, as typed. It proves nothing. */
export const operator = signal(localStorage.getItem(OPERATOR) ?? '');

/** Reaches only pages of this origin. */
const tabs = new BroadcastChannel(NAME);
type Message = { ask: true } | { key: string };

/** Time within which another tab answers, if one is open. */
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

/** Sets the key in all tabs; an empty one deletes it. */
export function keepKey(value: string): void {
  take(value);
  tabs.postMessage({ key: value } satisfies Message);
}

/** Stores the name for the audit log. */
export function keepOperator(name: string): void {
  localStorage.setItem(OPERATOR, name);
  operator.value = name;
}
