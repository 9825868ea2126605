/** Puts policies of ours into the SDKs' pipelines, before a client is made from them. */
import type { RequestPolicy, RequestPolicyFactory } from '@azure/storage-blob';
import type { PipelinePolicy } from '../../cost/meter.ts';

/**
 * storage-blob 12.32 and storage-queue 12.30 put a foreign policy before the retry policy, unless its factory's class has
 * this very name: then it stands behind it, and before the one that signs. `additionalPolicies` given to `newPipeline`
 * would be added again for each container or blob client, and the second time refused as a duplicate.
 */
class InjectorPolicyFactory implements RequestPolicyFactory {
  readonly #policy: PipelinePolicy;
  constructor(policy: PipelinePolicy) {
    this.#policy = policy;
  }
  create(next: RequestPolicy): RequestPolicy {
    // These packages speak of the same fields by types of their own; our policies use no others.
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
