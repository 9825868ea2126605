import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { createApi } from '../api/client.ts';
import { ApiError, toApiError } from '../api/errors.ts';
import { keepKey, keepOperator, operator } from '../api/key.ts';
import { useAction } from '../live/use-action.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/form.tsx';
import { Logo } from '../ui/logo.tsx';
import { ErrorBox } from '../ui/states.tsx';

/** Asks for a key, and accepts it if it grants any access. */
export function KeyPage(): JSX.Element {
  const [typed, setTyped] = useState('');
  const check = useAction();
  return (
    <main class="key-page">
      <form
        class="key-card"
        onSubmit={(event) => {
          event.preventDefault();
          void check.run(() => tryKey(typed.trim()));
        }}
      >
        <Logo />
        <h1>Open the dashboard</h1>
        <p>
          A client’s key can upload, watch and download. Queues, cost and repairs require an operator’s key. A key for
          both can do everything here.
        </p>
        <Field name="Key">
          <input
            type="password"
            name="key"
            autocomplete="off"
            spellcheck={false}
            required
            value={typed}
            onInput={(event) => {
              check.clear();
              setTyped(event.currentTarget.value);
            }}
          />
        </Field>
        <Field name="Your name (optional)">
          <input
            name="operator"
            autocomplete="name"
            maxLength={80}
            value={operator.value}
            onInput={(event) => keepOperator(event.currentTarget.value)}
          />
        </Field>
        {check.error && <ErrorBox error={check.error} />}
        <Button submit look="primary" busy={check.busy}>
          Open
        </Button>
        <small>
          The key stays in the tabs of this page and is sent only as a header to this server. Closing the last tab
          deletes it. The name is written to the audit log as you type it.
        </small>
      </form>
    </main>
  );
}

const WRONG_KEY =
  'It can read neither the queues nor the batches of this app. Ask the person who deployed the app for a key.';

/** An operator's key can read the queues, a client's key the batches. A key that can read neither is rejected. */
async function tryKey(candidate: string): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const api = createApi({ key: candidate });
  const answers = await Promise.allSettled([
    api.call('GET queues'),
    api.call('GET batches', { query: { limit: 1, day: today } }),
  ]);
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [toApiError(answer.reason)] : []));
  const [first] = failures;
  if (first && failures.length === answers.length) {
    const refused = failures.every(({ status }) => status === 401);
    throw refused ? new ApiError(401, 'This key is not known', { detail: WRONG_KEY }) : first;
  }
  keepKey(candidate);
}
