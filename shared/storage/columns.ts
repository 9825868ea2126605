/**
 * The columns of every table row. A column keeps its type for every value: the service would store 5 as Int32, 5.5 as
 * Double, and refuse or convert 2,147,483,648, and filters compare by type.
 */

/** `json` is stored as a string, for values that are only read as a whole. */
export type ColumnType = 'string' | 'boolean' | 'int32' | 'int64' | 'double' | 'json';

/**
 * Columns by kind of row, without the keys. Counts of items, bytes, milliseconds and all values that grow over the life
 * of a queue are int64; int32 is for numbers that one of our limits keeps small.
 */
export const COLUMNS = {
  batch: {
    state: 'string',
    workload: 'string',
    version: 'int32',
    lane: 'string',
    queueOffset: 'int32',
    pool: 'string',
    sourceKind: 'string',
    sourceName: 'string',
    producer: 'string',
    fileName: 'string',
    labels: 'json',
    format: 'string',
    csv: 'json',
    payload: 'string',
    digest: 'string',
    indexOffset: 'int64',
    indexLength: 'int64',
    payloadBytes: 'int64',
    storedBytes: 'int64',
    accepted: 'int64',
    succeeded: 'int64',
    dead: 'int64',
    discarded: 'int64',
    cancelled: 'int64',
    retried: 'int64',
    duplicatesSeen: 'int64',
    chunksTotal: 'int64',
    chunksDone: 'int64',
    revision: 'int32',
    reportRevision: 'int32',
    announced: 'boolean',
    progressPercent: 'int32',
    progressAt: 'string',
    atRiskAt: 'string',
    acceptedAt: 'string',
    earlier: 'json',
    revisionItems: 'int64',
    discardReason: 'string',
    openedAt: 'string',
    deadlineAt: 'string',
    queuedAt: 'string',
    startedAt: 'string',
    completedAt: 'string',
    pausedMs: 'int64',
    latencyP50: 'int64',
    latencyP95: 'int64',
    latencyMax: 'int64',
    handlerSeconds: 'double',
    operations: 'json',
    keyRow: 'string',
    traceparent: 'string',
    suspect: 'json',
    reportProblem: 'string',
    cancellingAt: 'string',
    paused: 'json',
    resumes: 'int32',
    resumingAt: 'string',
    haltFrom: 'json',
    reportRedrives: 'json',
    deletingAt: 'string',
    causes: 'json',
    drains: 'json',
  },
  chunk: {
    state: 'string',
    items: 'int64',
    reference: 'json',
    header: 'json',
    doneAt: 'string',
    endedBy: 'string',
    dueAt: 'string',
  },
  /** Progress of the running chunks of a batch in one process. */
  progress: {
    at: 'string',
    chunks: 'int32',
    items: 'int64',
    ended: 'int64',
    inFlight: 'int64',
    failing: 'int64',
    error: 'string',
  },
  /** The row of a batch in the listing of its day. */
  line: {
    workload: 'string',
    lane: 'string',
    state: 'string',
    accepted: 'int64',
    dead: 'int64',
    discarded: 'int64',
    chunksDone: 'int64',
    chunksTotal: 'int64',
    handlerSeconds: 'double',
    operations: 'json',
    drains: 'json',
    revision: 'int32',
    revisionItems: 'int64',
    openedAt: 'string',
    queuedAt: 'string',
    deadlineAt: 'string',
    completedAt: 'string',
    pausedMs: 'int64',
    deadlineMet: 'boolean',
    fileName: 'string',
    labels: 'json',
    causes: 'json',
    latencyP95: 'int64',
    firstTookMs: 'int64',
    firstDeadlineMs: 'int64',
  },
  open: {
    workload: 'string',
    lane: 'string',
    items: 'int64',
    chunks: 'int64',
    deadlineAt: 'string',
    fileName: 'string',
    labels: 'json',
  },
  note: { at: 'string', since: 'string', left: 'boolean' },
  key: { batch: 'string', claimedUntil: 'string', expiresAt: 'string', digest: 'string' },
  /** An inbox file that was accepted and could not be moved away. */
  mark: { name: 'string', batch: 'string' },
  gate: {
    status: 'string',
    generation: 'int32',
    instanceId: 'string',
    wakes: 'int64',
    acquiredAt: 'string',
    aliveUntil: 'string',
    due: 'json',
    parkedUntil: 'string',
    depth: 'int64',
    depthAt: 'string',
    active: 'int32',
    total: 'int64',
    idleCount: 'int64',
    paused: 'json',
    startFailure: 'json',
    missedWakes: 'int64',
    missedWakeAt: 'string',
    orphanedReferences: 'int64',
    policyVersion: 'int32',
    secondsPerReference: 'double',
    taskLimit: 'int32',
    pressedAt: 'double',
    calmWaves: 'int64',
    fedTasks: 'int32',
    waveTasks: 'int32',
    failureRate: 'double',
    baselineFailureRate: 'double',
    oldestAt: 'string',
    throttled: 'int64',
    itemsPerSecond: 'int64',
    instances: 'int32',
    cpu: 'double',
    eventLoop: 'double',
    responseMs: 'double',
    usualResponseMs: 'double',
    latencyMs: 'int64',
    waves: 'json',
    spent: 'json',
  },
  /** What drains of a queue have spent and its gate no longer keeps. */
  spent: { at: 'string', drains: 'json' },
  heartbeat: { generation: 'int32', aliveUntil: 'string' },
  policy: { version: 'int32', policy: 'json', previous: 'json' },
  /** An entry of the audit log. */
  action: {
    at: 'string',
    action: 'string',
    target: 'string',
    by: 'string',
    verified: 'boolean',
    detail: 'string',
    status: 'int32',
  },
  /** The limits of a workload, divided among processes; times in milliseconds. */
  quota: { holders: 'json', waiting: 'json', factor: 'double', changedAt: 'int64', heldUntil: 'int64' },
} as const satisfies Record<string, Record<string, ColumnType>>;

export type RowKind = keyof typeof COLUMNS;

interface Values {
  string: string;
  boolean: boolean;
  int32: number;
  int64: number;
  double: number;
  json: unknown;
}

/** The values of a row in the app: numbers are plain numbers. A value that is undefined is not stored. */
export type Columns<K extends RowKind> = {
  -readonly [C in keyof (typeof COLUMNS)[K]]?: Values[(typeof COLUMNS)[K][C] & ColumnType] | undefined;
};
