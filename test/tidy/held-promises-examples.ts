/** What the check of held promises reports (lines marked `held`), and what it lets pass. */

const ask = async (): Promise<number> => 1
type Alias<T> = Promise<readonly T[]>
const askAlias = async (): Alias<number> => []

export async function aConstAwaitedLater() {
  const asked = ask() // held
  const other = await ask()
  return (await asked) + other
}

export async function anAliasOfPromise() {
  const asked = askAlias() // held
  await ask()
  return asked
}

export async function onlyWhereAConditionHolds(isSlow: boolean) {
  const asked = ask() // held
  const slow = isSlow ? await ask() : 0
  const [one] = await Promise.all([asked])
  return one + slow
}

export async function insideOfAnArgument() {
  const asked = ask() // held
  return Promise.all([asked, (await ask()) + 1])
}

export async function aListOfThem() {
  const all = [ask(), ask()] // held
  await ask()
  return Promise.all(all)
}

export async function addedToAList(times: number) {
  const all: Promise<number>[] = []
  for (let time = 0; time < times; time++) {
    await ask()
    all.push(ask()) // held
  }
  return Promise.all(all)
}

export async function assignedAtTheEndOfARound(times: number) {
  let ahead: Promise<number> | null = null
  for (let time = 0; time < times; time++) {
    await ask()
    await ahead
    ahead = ask() // held
  }
  return ahead
}

export async function aParameter(asked: Promise<number>) /* held */ {
  await ask()
  return asked
}

export async function derivedFromAnother() {
  const asked = ask()
  const twice = asked.then((one) => one * 2) // held
  await ask()
  return twice
}

export async function whileIterating(rounds: AsyncIterable<number>) {
  const asked = ask() // held
  for await (const round of rounds) if (round > 1) return asked
  return asked
}

export async function awaitedAtOnce() {
  const asked = ask()
  return await asked
}

export async function madeInTheSameExpression() {
  const [one, other] = await Promise.all([ask(), ask()])
  return one + other
}

export async function awaitedTogether() {
  const asked = ask()
  const others = [ask(), ask()]
  return await Promise.all([asked, ...others])
}

export async function whoseFailureIsHandled() {
  const asked = ask().catch(() => 0)
  const other = ask()
  other.catch(() => {})
  await ask()
  return (await asked) + (await other)
}

export async function handedOver(within: (asked: Promise<number>) => Promise<number>) {
  const asked = ask()
  return (await within(asked)) + (await ask())
}

export async function thatCannotReject() {
  const ready = Promise.resolve(1)
  const waiting = new Promise<void>((resolve) => setTimeout(resolve, 1))
  await ask()
  await waiting
  return ready
}

export async function startedWhenTheLastHasEnded(times: number) {
  let asked = ask()
  for (let time = 0; time < times; time++) {
    await asked
    asked = ask()
  }
  return asked
}

export async function noPromiseAtAll() {
  const ready = 1
  const list: number[] = []
  list.push(ready)
  await ask()
  return list
}
