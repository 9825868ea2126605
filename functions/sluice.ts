/** The entry of this app: registers the functions of the pipeline for the workloads. An app's own functions are beside it. */
import { registerSluice } from 'sluice/functions';
import host from '../host.json' with { type: 'json' };
import { registry } from '../workloads/index.ts';

const thread = new URL('../workloads/thread', import.meta.url);

export const sluice = await registerSluice({ workloads: registry, thread, host });
