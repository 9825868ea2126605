import type { PipelinePolicy } from '../../cost/meter.ts';
import { MissingResourceError } from '../../errors.ts';

/**
 * Distinguishes a missing container from a missing blob: both answer 404, but a blob that is gone is an answer (its items become
 * dead letters, a report is unknown), while a container is gone by a fault of the deployment, which passes.
 * @throws MissingResourceError naming the path that was asked for
 */
export const missingContainerPolicy: PipelinePolicy = {
  name: 'sluice-missing-container',
  sendRequest: async (request, next) => {
    const response = await next(request);
    if (response.status !== 404 || response.headers.get('x-ms-error-code') !== 'ContainerNotFound') return response;
    const { origin, pathname } = new URL(request.url);
    throw new MissingResourceError(`container of ${pathname}`, { service: origin });
  },
};
