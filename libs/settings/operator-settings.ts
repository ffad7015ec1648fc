import { commandClasses } from './command-classes.ts'
import {
  booleanSetting,
  integerSetting,
  optionalInteger,
  optionalText,
  requiredInteger,
  requiredText,
  textSetting,
} from './setting.ts'

/** Of the commands that look at a deployment, or repair it. */
export const operatorSettings = {
  json: booleanSetting({
    takenBy: commandClasses.report,
    why: 'print JSON instead of text',
  }),
  versions: requiredText({
    takenBy: ['verify'],
    unit: 'versions',
    bounds: 'two numbers, as 1,2',
    why: 'versions of the group whose rows are compared',
  }),
  version: requiredInteger(
    {
      takenBy: ['drop'],
      unit: 'version',
      why: 'version of the group that no release needs any more',
    },
    1,
    1_000_000,
  ),
  watch: booleanSetting({
    takenBy: ['lag', 'audit'],
    why: 'again and again until Ctrl-C: `lag` every 2 s, `audit` with `--interval-seconds` between',
  }),
  behindMessages: integerSetting(
    {
      takenBy: ['lag'],
      unit: 'messages',
      default: '64',
      why: 'lag of a group or of the fact topics above which the exit code is 2',
    },
    0,
    1_000_000_000,
  ),
  behindSeconds: integerSetting(
    {
      takenBy: ['lag'],
      unit: 's',
      // Above the pauses of live chains, and less than people accept of an explorer.
      default: '600',
      why:
        'age of the newest published block, or of that of a group, above which the exit code is 2; ' +
        '10000000000 for any age, as of a folder of old blocks',
    },
    0,
    10_000_000_000,
  ),
  url: textSetting({
    takenBy: ['compare', 'audit'],
    unit: 'url',
    default: 'http://127.0.0.1:4000',
    bounds: 'http:// or https://',
    why: 'URL of the Foldscan API to compare',
    form: 'file',
  }),
  with: requiredText({
    takenBy: ['compare'],
    unit: 'url',
    bounds: 'http:// or https://',
    why: 'URL of the explorer to compare with; its user, password and query are sent with each request',
    form: 'file',
  }),
  sample: integerSetting(
    {
      takenBy: commandClasses.sample,
      unit: 'subjects',
      default: '50',
      why:
        'addresses and transactions to compare, each by all endpoints that take one; of `audit` so ' +
        'many transactions, tokens and addresses; of `verify` subjects of each table',
    },
    1,
    10_000,
  ),
  seed: optionalInteger(
    {
      takenBy: ['compare', 'audit'],
      unit: 'seed',
      why: 'seed of the choice of subjects, to repeat one that was printed; random by default',
    },
    0,
    4_294_967_295,
  ),
  token: optionalText({
    takenBy: ['audit'],
    unit: 'address',
    bounds: 'a token',
    why: 'token all of whose holders are compared, beside the sample',
  }),
  callsPerSecond: integerSetting(
    {
      takenBy: ['audit'],
      unit: 'calls',
      default: '200',
      why: 'maximum calls to the node in a second, those in batches among them',
    },
    1,
    100_000,
  ),
  timeSeconds: integerSetting(
    {
      takenBy: ['audit'],
      unit: 's',
      default: '600',
      why: 'time of one audit, after which nothing further is compared',
    },
    1,
    86_400,
  ),
  intervalSeconds: integerSetting(
    {
      takenBy: ['audit'],
      unit: 's',
      default: '60',
      why: 'time between two audits of `--watch`',
    },
    1,
    86_400,
  ),
  from: optionalInteger(
    {
      takenBy: ['repair', 'log export'],
      requiredBy: ['repair'],
      unit: 'position',
      why:
        '`repair`: position of the first message to publish, as `lag` prints it; `log export`: of ' +
        'the first to export, by default 1',
    },
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  to: optionalInteger(
    {
      takenBy: ['log export'],
      unit: 'position',
      why: 'position of the last message to export, by default the newest',
    },
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  fromDataDir: optionalText({
    takenBy: ['log export'],
    unit: 'folder',
    bounds: 'a folder that `up` has used',
    why: 'data folder of `up` to export in place of Kafka, while `up` is stopped',
  }),
  topic: optionalText({
    takenBy: commandClasses['dead-letters'],
    requiredBy: ['dead-letters replay', 'dead-letters acknowledge'],
    unit: 'topic',
    bounds: 'a topic of facts',
    why: 'topic whose dead letters are meant; `list` takes all topics by default',
  }),
  skipInvalid: booleanSetting({
    takenBy: commandClasses.import,
    why: 'publish what is valid and print the rest; by default one invalid line refuses all files',
  }),
  dryRun: booleanSetting({
    takenBy: commandClasses.import,
    why: 'check the files only: publish nothing',
  }),
  intoDataDir: optionalText({
    takenBy: commandClasses.offline,
    unit: 'folder',
    bounds: 'a folder that `up` has used; of `log import` an empty or a new one',
    why: 'data folder of `up` to use in place of Kafka, while `up` is stopped',
  }),
  offset: optionalInteger(
    {
      takenBy: ['dead-letters replay', 'dead-letters acknowledge'],
      unit: 'offset',
      why: 'offset of the one dead letter, as `list` prints it',
    },
    0,
    Number.MAX_SAFE_INTEGER,
  ),
  all: booleanSetting({
    takenBy: commandClasses['dead-letters'],
    why:
      '`replay`: all that are valid now and not superseded by a newer fact; `acknowledge`: all; ' +
      '`list`: also those that are acknowledged',
  }),
  waitSeconds: integerSetting(
    {
      takenBy: ['dead-letters replay'],
      unit: 's',
      default: '30',
      why: 'time to wait until what was replayed is folded, or a dead letter again',
    },
    0,
    3_600,
  ),
  force: booleanSetting({
    takenBy: commandClasses.forced,
    why:
      '`repair`: undo more than one block of the log; `replay`: publish even what is still invalid ' +
      'or superseded by a newer fact; `drop`: even if this release has not caught up with it',
  }),
}
