import { kindOfName, NAME_RULE } from '../../contract/upload-kinds.ts';
import { Problem } from '../../errors.ts';
import type { Registry } from '../../workload/registry.ts';

/**
 * Parses workload, lane and format from the path of an inbox file, `<workload>/[<lane>/]<name>`.
 * @throws Problem if the path does not specify them.
 */
export function inboxTarget(registry: Registry, path: string) {
  const parts = path.split('/');
  const [workloadName = '', lane] = parts;
  const workload = registry.workload(workloadName);
  if (!workload || parts.length < 2)
    throw new Problem('not-found', `"${path}" is not <workload>/[<lane>/]<name> of a known workload.`);
  const kind = kindOfName(path);
  if (!kind) throw new Problem('unsupported-media-type', `"${path}" must end in ${NAME_RULE}.`);
  if (parts.length === 2) return { workload, lane: undefined, ...kind };
  if (lane === undefined || !workload.lanes.includes(lane)) {
    throw new Problem(
      'invalid-parameter',
      `"${path}" names lane "${lane}"; workload "${workloadName}" has ${workload.lanes.join(', ')}.`,
    );
  }
  return { workload, lane, ...kind };
}
