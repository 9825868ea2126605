import type { ComponentChildren, JSX } from 'preact';
import { placeText } from '../../shared/client/index.ts';
import type { ApiError } from '../api/errors.ts';
import { keepKey } from '../api/key.ts';
import { plain } from '../format.ts';
import type { Polled } from '../live/use-polled.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

const FAULTS_SHOWN = 10;

const isRefused = ({ status }: ApiError): boolean => status === 401 || status === 403;

/** An error, with the lines of the upload that caused it. */
export function ErrorBox({ error }: { error: ApiError }): JSX.Element {
  return (
    <div class="error-box" role="alert">
      <Icon name={isRefused(error) ? 'key' : 'warning'} />
      <div>
        <strong>{plain(error.title)}</strong>
        {error.message !== error.title && <p>{error.message.split('\n').map(plain).join('\n')}</p>}
        {isRefused(error) && (
          <Button icon="key" size="small" onClick={() => keepKey('')}>
            Use another key
          </Button>
        )}
        {error.faults.length > 1 && (
          <ul>
            {error.faults.slice(0, FAULTS_SHOWN).map((at) => (
              <li key={`${at.line}:${at.column}`}>
                At {placeText(at)}: {plain(at.message)}
              </li>
            ))}
            {error.faults.length > FAULTS_SHOWN && <li>and {error.faults.length - FAULTS_SHOWN} more</li>}
          </ul>
        )}
      </div>
    </div>
  );
}

export interface EmptyProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}

/** States that there is no data, and what creates some. */
export function Empty({ icon, title, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={24} />
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A placeholder while data loads. */
export function Loading({ lines = 3 }: { lines?: number }): JSX.Element {
  return (
    <div class="loading" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

export interface LoadedProps<T> {
  polled: Pick<Polled<T>, 'data' | 'error'>;
  children: (data: T) => ComponentChildren;
}

/** Shows the known data. An error is shown above it, and a placeholder in its place. */
export function Loaded<T>({ polled: { data, error }, children }: LoadedProps<T>): JSX.Element {
  return (
    <>
      {error && <ErrorBox error={error} />}
      {data === undefined ? !error && <Loading /> : children(data)}
    </>
  );
}
