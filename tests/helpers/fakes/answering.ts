import { createOverhead } from '../../../shared/cost/overhead.ts';
import { type Answered, type AnsweringDeps, createAnswering, type Handler } from '../../../shared/http/edge/answers.ts';

const PARTS: AnsweringDeps = {
  overhead: createOverhead(),
  record: async () => {},
};

const READ: Answered = { name: 'get', method: 'GET', audience: ['client'] };

/**
 * Wraps handlers as the app does, with other parts, as those of a route that clients read by default. By default, there is no
 * audit log.
 */
export const answeringWith =
  (parts: Partial<AnsweringDeps>, route = READ) =>
  (handler: Handler): ReturnType<ReturnType<typeof createAnswering>> =>
    createAnswering({ ...PARTS, ...parts })(route, handler);

export const answering = answeringWith({});
