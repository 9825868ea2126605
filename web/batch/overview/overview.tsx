import type { JSX } from 'preact';
import type { BatchView } from '../../api/types.ts';
import { ActionsOn } from '../../audit/actions-on.tsx';
import { plain } from '../../format.ts';
import { parameters } from '../../routing.ts';
import { Panel } from '../../ui/pieces.tsx';
import { Conservation } from './conservation.tsx';
import { Downloads } from './downloads.tsx';
import { Latency } from './latency.tsx';
import { revisionName } from './revision.ts';
import { Revisions } from './revisions.tsx';
import { Suspect } from './suspect.tsx';
import { Timeline } from './timeline.tsx';

/** Problems of the upload, outcomes of the items, timeline, downloads, and operator actions. */
export function Overview({ batch }: { batch: BatchView }): JSX.Element {
  const { revisions } = batch;
  const asked = parameters.value.get('revision');
  const revision = revisions.find((each) => String(each.revision) === asked) ?? revisions.at(-1);
  const isOnly = revisions.length === 1;
  return (
    <>
      {batch.suspect && <Suspect {...batch.suspect} />}
      {batch.hint && <p class="tone-warn">{plain(batch.hint)}</p>}
      <Panel title="Items">
        <Conservation counts={batch.counts} chunks={batch.chunks} />
      </Panel>
      {!isOnly && revision && (
        <>
          <h2 class="section-title">Revisions</h2>
          <Revisions batch={batch} chosen={revision.revision} />
        </>
      )}
      <div class="panels">
        <Panel title={isOnly || !revision ? 'Timeline' : `Timeline: ${revisionName(revision).toLowerCase()}`}>
          {revision && <Timeline batch={batch} revision={revision} />}
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
      <ActionsOn target={batch.id} changes={[batch.state, batch.revision]} />
    </>
  );
}
