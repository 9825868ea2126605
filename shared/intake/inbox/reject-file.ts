import type { Problem } from '../../errors.ts';
import { log } from '../../telemetry/log.ts';
import { countRejectedFile } from '../../telemetry/metrics.ts';
import type { PublishRejected } from '../../wake/events/publish.ts';
import type { Registry } from '../../workload/registry.ts';
import type { FileVersion } from './inbox-marks.ts';
import { type MoveDeps, writeReason } from './inbox-move.ts';

export interface RejectFileDeps extends MoveDeps {
  registry: Registry;
  publishRejected: PublishRejected;
}

/**
 * Writes why a file is rejected and publishes it, before the file is moved or marked: after a crash in between, the next
 * look decides again and repeats both, so that no rejection stays unannounced.
 */
export async function rejectFile(deps: RejectFileDeps, { name, etag }: FileVersion, problem: Problem): Promise<void> {
  await writeReason(deps, name, problem);
  const workload = deps.registry.workload(name.split('/')[0] ?? '');
  await deps.publishRejected({ name, etag, workload, problem });
  log.warn('inbox-rejected', { file: name, reason: problem.message });
  countRejectedFile(workload?.name);
}
