/** What the entry file of an app imports as `sluice/functions`. */
import { type ItemsRequest, type SubmittedBatch, submitItems } from '../shared/intake/submit-items.ts';
import { createRegistration, type SluiceOptions } from './app.ts';
import { registerAll } from './register-all.ts';

export type { RouteGroups } from '../shared/http/routes.ts';
export type { ItemsRequest, SubmittedBatch } from '../shared/intake/submit-items.ts';
export type { SluiceOptions } from './app.ts';

/** What an app's own functions use. */
export interface Sluice {
  /**
   * Submits items as a batch, as an upload over HTTP does. A repeat with the same key returns the same batch: a timer gives
   * the time at which it was due.
   * @throws Problem if the workload is unknown, an item is too large, or the key was used for other items
   */
  submit(request: ItemsRequest): Promise<SubmittedBatch>;
}

/**
 * Registers every function of the pipeline with the Functions host. Call it once, while the app's entry file is loaded, and
 * await it: invalid settings stop the start, with all problems reported together, and traces contain the first invocation.
 * The app's own functions are registered beside it, as in any app.
 * @throws SettingsError if settings are missing or invalid; Error if host.json lacks what the pipeline needs, or the thread
 * file does not exist
 */
export async function registerSluice(options: SluiceOptions): Promise<Sluice> {
  const registration = await createRegistration(options);
  registerAll(registration);
  const { pipeline } = registration;
  return {
    submit: (request) =>
      pipeline.overhead.within('requests', () => submitItems({ ...pipeline.deps(), ...pipeline }, request)),
  };
}
