import { Problem } from '../../errors.ts';
import type { Workload } from '../../workload/define.ts';
import type { Registry } from '../../workload/registry.ts';
import { formatOfName } from '../parse/formats.ts';

/** What the path of an inbox file says. */
export type InboxTarget = { workload: Workload; lane: string | undefined } & NonNullable<
  ReturnType<typeof formatOfName>
>;

/**
 * Reads workload, lane and format from the path of an inbox file, `<workload>/[<lane>/]<name>`.
 * @throws Problem for a path that does not name them.
 */
export function inboxTarget(registry: Registry, path: string): InboxTarget {
  const parts = path.split('/');
  const [workloadName = '', lane] = parts;
  const workload = registry.workload(workloadName);
  if (!workload || parts.length < 2)
    throw new Problem('not-found', `"${path}" is not <workload>/[<lane>/]<name> of a known workload.`);
  const format = formatOfName(path);
  if (!format) {
    throw new Problem(
      'unsupported-media-type',
      `"${path}" must end in .ndjson, .json or .csv, with .gz, .br or .zst behind it if compressed.`,
    );
  }
  if (parts.length === 2) return { workload, lane: undefined, ...format };
  if (lane === undefined || !workload.lanes.includes(lane)) {
    throw new Problem(
      'invalid-parameter',
      `"${path}" names lane "${lane}"; workload "${workloadName}" has ${workload.lanes.join(', ')}.`,
    );
  }
  return { workload, lane, ...format };
}
