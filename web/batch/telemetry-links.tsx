import type { JSX } from 'preact';
import type { BatchView } from '../api/types.ts';

const NAMES = { logs: 'Logs', trace: 'Trace' } as const;

/** Leads to the logs and the trace of a batch, where the app knows the addresses. They open beside this page. */
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
