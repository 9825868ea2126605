import { JSON_TYPE, type Route } from '../edge/route.ts';
import { sweepAnswerSchema } from './schemas.ts';

/** The route of the sweep. */
export const SWEEP_ROUTES: readonly Route[] = [
  {
    name: 'run-sweep',
    method: 'POST',
    route: 'sweep',
    audience: 'operator',
    summary: 'Sweep now: repair lost work; the last step of a deployment',
    answers: [{ status: 200, description: 'The actions of the sweep', content: { [JSON_TYPE]: sweepAnswerSchema } }],
    problems: [],
  },
];
