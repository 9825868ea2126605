import type { JSX } from 'preact';
import type { BatchView } from '../api/types.ts';
import { Panel } from '../ui/pieces.tsx';
import { Conservation } from './conservation.tsx';
import { Downloads } from './downloads.tsx';
import { Latency } from './latency.tsx';
import { Suspect } from './suspect.tsx';
import { Timeline } from './timeline.tsx';

/** What is wrong with the upload, what happened when, what became of the items, and where the results are. */
export function Overview({ batch }: { batch: BatchView }): JSX.Element {
  return (
    <>
      {batch.suspect && <Suspect {...batch.suspect} />}
      {batch.hint && <p class="tone-warn">{batch.hint}</p>}
      <Panel title="Items">
        <Conservation counts={batch.counts} chunks={batch.chunks} />
      </Panel>
      <div class="panels">
        <Panel title="Timeline">
          <Timeline batch={batch} />
        </Panel>
        <div class="column">
          <Panel title="Latency of items">
            <Latency batch={batch} />
          </Panel>
          <Panel title="Download">
            <Downloads batch={batch} />
          </Panel>
        </div>
      </div>
    </>
  );
}
