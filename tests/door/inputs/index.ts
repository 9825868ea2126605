import type { HostileInput } from '../input.ts';
import { CONNECTIONS } from './connections.ts';
import { RECORDS } from './records.ts';
import { REQUESTS } from './requests.ts';
import { UPLOADS } from './uploads.ts';

/** All hostile inputs, in the order of their tests. */
export const INPUTS: readonly HostileInput[] = [...UPLOADS, ...RECORDS, ...CONNECTIONS, ...REQUESTS];
