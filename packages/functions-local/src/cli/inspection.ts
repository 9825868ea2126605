import type { ServiceBusTrigger } from '../host/service-bus/service-bus-trigger.ts';

/** A function of an app that was loaded for inspection. */
export interface InspectedFunction {
  name: string;
  state: 'served' | 'disabled' | 'refused';
  /** Set for a Service Bus function that is served. */
  serviceBus?: Pick<ServiceBusTrigger, 'connectionString' | 'source'>;
  /** Why the function was refused. */
  problem?: string;
}

/** The registrations of an app, or why it cannot be loaded. */
export type Inspection =
  | { isLoaded: true; functions: readonly InspectedFunction[]; registered: readonly string[]; isDurable: boolean }
  | { isLoaded: false; problem: string; detail?: string };
