/** Every event that a log line can name: the one tree. Alerts and tests match on these words. */
export const events = {
  up: {
    starting: 'up.starting',
    reached: 'up.reached',
    block: 'up.block',
    urls: 'up.urls',
    listening: 'up.listening',
    ready: 'up.ready',
    stopping: 'up.stopping',
    partStopped: 'up.part-stopped',
    stopped: 'up.stopped',
    failed: 'up.failed',
    libraryWrote: 'up.library-wrote',
  },
  service: {
    starting: 'service.starting',
    waiting: 'service.waiting',
    begun: 'service.begun',
    idle: 'service.idle',
    migrated: 'service.migrated',
    stopping: 'service.stopping',
    stopped: 'service.stopped',
  },
  engine: {
    started: 'engine.started',
    spoke: 'engine.spoke',
    retried: 'engine.retried',
  },
  node: {
    retried: 'node.retried',
    lacks: 'node.lacks',
    subscribed: 'node.subscribed',
    subscriptionLost: 'node.subscription-lost',
  },
  cache: { used: 'cache.used', away: 'cache.away' },
  demo: { started: 'demo.started', exited: 'demo.exited' },
  ingestor: {
    started: 'ingestor.started',
    published: 'ingestor.published',
    reorganised: 'ingestor.reorganised',
    gapDeclared: 'ingestor.gap-declared',
    leftOut: 'ingestor.left-out',
    raceLost: 'ingestor.race-lost',
    logRetried: 'ingestor.log-retried',
    exhausted: 'ingestor.exhausted',
    halted: 'ingestor.halted',
  },
  projector: {
    started: 'projector.started',
    flushed: 'projector.flushed',
    skipped: 'projector.skipped',
    stuck: 'projector.stuck',
    unstuck: 'projector.unstuck',
    rewound: 'projector.rewound',
    retried: 'projector.retried',
    deadLettered: 'projector.dead-lettered',
    halted: 'projector.halted',
  },
  api: {
    listening: 'api.listening',
    failed: 'api.failed',
    overloaded: 'api.overloaded',
    conflictingRows: 'api.conflicting-rows',
  },
} as const

type Leaves<T> = T extends string ? T : { [K in keyof T]: Leaves<T[K]> }[keyof T]
export type EventName = Leaves<typeof events>
