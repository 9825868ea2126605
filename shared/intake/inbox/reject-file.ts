import type { Problem } from '../../errors.ts';
import type { PublishRejected } from '../../events/publish.ts';
import { log } from '../../telemetry/log.ts';
import { countRejectedFile } from '../../telemetry/metrics.ts';
import type { Registry } from '../../workload/registry.ts';
import type { FileVersion } from './inbox-marks.ts';
import type { MoveDeps } from './inbox-move.ts';
import { writeReason } from './rejection-reason.ts';

export interface RejectFileDeps extends MoveDeps {
  registry: Registry;
  publishRejected: PublishRejected;
}

/**
 * Stores and publishes why a file is rejected, before the file is moved or marked. After a crash in between, the next inbox
 * check decides again and repeats both, so every rejection is published.
 */
export async function rejectFile(deps: RejectFileDeps, { name, etag }: FileVersion, problem: Problem): Promise<void> {
  await writeReason(deps, name, problem);
  const workload = deps.registry.workload(name.split('/')[0] ?? '');
  await deps.publishRejected({ name, etag, workload, problem });
  log.warn('inbox-rejected', { file: name, reason: problem.message });
  countRejectedFile(workload?.name);
}
