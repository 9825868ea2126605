/** Inserts our policies into the SDKs' pipelines, before a client is created from them. */
import type { RequestPolicy, RequestPolicyFactory } from '@azure/storage-blob';
import type { PipelinePolicy } from '../../cost/meter.ts';
import { MissingResourceError } from '../../errors.ts';

/**
 * storage-blob 12.32 and storage-queue 12.30 insert a custom policy before the retry policy, unless its factory's class
 * has this exact name: then it is inserted after the retry policy and before the policy that signs.
 * `additionalPolicies` of `newPipeline` would be added again for each container or blob client, and refused as a
 * duplicate the second time.
 */
class InjectorPolicyFactory implements RequestPolicyFactory {
  readonly #policy: PipelinePolicy;
  constructor(policy: PipelinePolicy) {
    this.#policy = policy;
  }
  create(next: RequestPolicy): RequestPolicy {
    // These packages declare their own types of the same fields; our policies use no others.
    const sendRequest = this.#policy.sendRequest as unknown as (
      request: unknown,
      send: RequestPolicy['sendRequest'],
    ) => ReturnType<RequestPolicy['sendRequest']>;
    return { sendRequest: (request) => sendRequest(request, (again) => next.sendRequest(again)) };
  }
}

/** Adds policies to a pipeline of storage-blob or storage-queue, the outermost first, and returns it. */
export function withPolicies<P extends { readonly factories: RequestPolicyFactory[] }>(
  pipeline: P,
  policies: readonly PipelinePolicy[],
): P {
  pipeline.factories.push(...policies.map((policy) => new InjectorPolicyFactory(policy)));
  return pipeline;
}

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
