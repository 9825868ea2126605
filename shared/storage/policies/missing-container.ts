import type { PipelinePolicy } from '../../cost/meter.ts';
import { MissingResourceError } from '../../errors.ts';

/**
 * Distinguishes a missing container from a missing blob, which both respond with 404. A missing blob is a valid result
 * (its items become dead letters, a report is unknown). A missing container is a temporary fault of the deployment.
 * @throws MissingResourceError with the requested path
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
