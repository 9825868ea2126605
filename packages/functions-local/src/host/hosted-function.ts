/** A function of the app, as the host serves it. */
export interface HostedFunction {
  name: string;
  /** Type of its trigger, or 'unknown' if it has none. */
  type: string;
  /** `refused`: this host cannot serve it. The log contains the reason. */
  state: 'served' | 'disabled' | 'refused';
  /** Set for an HTTP function. */
  methods?: string[];
  /** URL template of an HTTP function. */
  url?: string;
}
