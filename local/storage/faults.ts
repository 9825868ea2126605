/** Answers that an interceptor gives instead of the service. */
import type { StorageAnswer } from './call.ts';

/** An answer that the SDKs do not repeat the call for: stands for a call of which every repeat failed, too. */
export const refusal = (): StorageAnswer => ({
  status: 403,
  headers: ['x-ms-error-code', 'InjectedFault', 'content-length', '0'],
  body: Buffer.alloc(0),
});
