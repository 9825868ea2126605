/** A function of the app as the host sees it. */
export interface HostedFunction {
  name: string;
  /** Type of its trigger; 'unknown' when it has none. */
  type: string;
  /** `refused`: this host cannot serve it; the log says why. */
  state: 'served' | 'disabled' | 'refused';
  /** Of an HTTP function. */
  methods?: string[];
  /** Address template of an HTTP function. */
  url?: string;
}
