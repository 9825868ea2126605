import type { ServiceBusTrigger } from '../host/service-bus/service-bus-trigger.ts';

/** A function of an app that was loaded to see what it needs. */
export interface InspectedFunction {
  name: string;
  state: 'served' | 'disabled' | 'refused';
  /** Of a Service Bus function that is served. */
  serviceBus?: Pick<ServiceBusTrigger, 'connectionString' | 'source'>;
  /** Why it was refused. */
  problem?: string;
}

/** What an app registers, or why it cannot be loaded. */
export type Inspection =
  | { isLoaded: true; functions: readonly InspectedFunction[]; registered: readonly string[]; isDurable: boolean }
  | { isLoaded: false; problem: string; detail?: string };
