import type { JSX } from 'preact';
import type { BatchView } from '../api/types.ts';

const NAMES = { logs: 'Logs', trace: 'Trace' } as const;

/** Links to the logs and the trace of a batch, if the app knows their addresses. They open in a new tab. */
export const TelemetryLinks = ({ links }: Pick<BatchView, 'links'>): JSX.Element => (
  <>
    {(['logs', 'trace'] as const).map((name) => {
      const address = links[name];
      return (
        address !== undefined && (
          <span key={name}>
            {' '}
            ·{' '}
            <a href={address} target="_blank" rel="noopener noreferrer">
              {NAMES[name]}
            </a>
          </span>
        )
      );
    })}
  </>
);
