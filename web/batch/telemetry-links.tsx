import type { JSX } from 'preact';
import type { BatchView } from '../api/types.ts';

/** Links to the logs and the trace of a batch, if the app knows their addresses. They open in a new tab. */
export const TelemetryLinks = ({ links: { logs, trace } }: Pick<BatchView, 'links'>): JSX.Element => (
  <>
    {logs !== undefined && <Outside name="Logs" href={logs} />}
    {trace !== undefined && <Outside name="Trace" href={trace} />}
  </>
);

const Outside = ({ name, href }: { name: string; href: string }): JSX.Element => (
  <span>
    {' · '}
    <a href={href} target="_blank" rel="noopener noreferrer">
      {name}
    </a>
  </span>
);
