import type { HttpResponseInit } from '@azure/functions';
import { sweep } from '../../sweep/sweep.ts';
import type { SweepDeps } from '../../sweep/sweep-run.ts';
import { json } from '../edge/answers.ts';

/** Below the 230 seconds after which the platform's front end cuts a request, with room for the slice begun last. */
const BUDGET_MS = 120_000;

/** POST sweep: what it found and did, counted by kind. */
export const sweepOverHttp = async (deps: SweepDeps): Promise<HttpResponseInit> => json(await sweep(deps, BUDGET_MS));
