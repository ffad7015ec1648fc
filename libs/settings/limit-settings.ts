import { commandClasses } from './command-classes.ts'
import { booleanSetting, integerSetting, rangesSetting } from './setting.ts'

/** How many requests a client may send. */
export const limitSettings = {
  limits: booleanSetting({
    takenBy: commandClasses.serve,
    why: 'limit the requests of each client, by address or by API key; by default none is limited',
  }),
  limitRequests: integerSetting(
    {
      takenBy: commandClasses.serve,
      unit: 'requests',
      default: '300',
      why: 'requests of a client without API key in each window; an IPv6 client is a /64',
    },
    1,
    1_000_000_000,
  ),
  limitWindowSeconds: integerSetting(
    {
      takenBy: commandClasses.serve,
      unit: 's',
      default: '60',
      why: 'length of a window of limits; the same for all api processes',
    },
    1,
    3_600,
  ),
  limitClientsMax: integerSetting(
    {
      takenBy: commandClasses.serve,
      unit: 'clients',
      default: '100000',
      why: 'clients counted one by one in a window, in this process; further ones share counters',
    },
    1,
    10_000_000,
  ),
  trustedProxies: rangesSetting({
    takenBy: commandClasses.serve,
    why:
      'proxies and load balancers in front of the API, whose X-Forwarded-For is believed; ' +
      'everything else in that header is ignored',
  }),
  keyLimit: integerSetting(
    {
      takenBy: ['keys add'],
      unit: 'requests',
      default: '600',
      why: 'requests of the new API key in each window, in place of `--limit-requests`',
    },
    1,
    1_000_000_000,
  ),
}
