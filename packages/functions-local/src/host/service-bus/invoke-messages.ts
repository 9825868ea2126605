import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus';
import type { Invocation } from '../invocation/invoker.ts';
import type { RpcData } from '../worker-protocol.ts';
import { logError, type Scope } from './scope.ts';
import { toBatchData, toBatchMetadata, toDetails, toMessageData, toMessageMetadata } from './trigger-data.ts';

/** Runs the function on messages, then completes them all, or abandons them all if it failed. Never rejects. */
export async function invokeAndSettle(
  scope: Scope,
  receiver: ServiceBusReceiver,
  messages: readonly ServiceBusReceivedMessage[],
): Promise<void> {
  scope.lastError = undefined;
  const succeeded = await scope.invoker.invoke(toInvocation(scope, messages)).then(
    () => true,
    () => false,
  );
  // As in the extension, messages of a failed call are abandoned even if the app settles messages itself.
  if (succeeded && !scope.trigger.autoComplete) return;
  const settle = (message: ServiceBusReceivedMessage) =>
    succeeded ? receiver.completeMessage(message) : receiver.abandonMessage(message);
  for (const outcome of await Promise.allSettled(messages.map(settle))) {
    if (outcome.status === 'rejected') logError(scope, outcome.reason);
  }
}

function toInvocation({ trigger, inputsOf }: Scope, messages: readonly ServiceBusReceivedMessage[]): Invocation {
  const { fn, name, isBatch, isBinary } = trigger;
  const single = isBatch ? undefined : messages[0];
  const data = single ? toMessageData(single, isBinary) : toBatchData(messages, isBinary);
  return {
    fn,
    inputs: [{ name, data }, ...inputsOf(fn)],
    triggerMetadata: single ? toMessageMetadata(single) : toBatchMetadata(messages),
    reason: '(null)',
    details: toDetails(messages, isBatch),
  };
}

/** Creates the invocation of a trigger that is run manually, with a text instead of a message's body. */
export function toManualInvocation({ trigger, inputsOf }: Scope, input: string): Invocation {
  const { fn, name, isBatch } = trigger;
  const data: RpcData = isBatch ? { collectionString: { string: [input] } } : { string: input };
  const reason = 'This function was programmatically called via the host APIs.';
  return { fn, inputs: [{ name, data }, ...inputsOf(fn)], reason };
}
