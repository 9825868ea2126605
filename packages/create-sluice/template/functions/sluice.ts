import { registerSluice } from 'sluice/functions';
import host from '../host.json' with { type: 'json' };
import { registry } from '../workloads/index.ts';

const thread = new URL('../workloads/thread', import.meta.url);

/** Registers the functions of Sluice. Functions of your own are in files beside this one. */
export const sluice = await registerSluice({ workloads: registry, thread, host });
