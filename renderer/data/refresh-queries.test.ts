import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { describe, expect, it, onTestFinished } from 'vitest'
import { refreshQueries, repeatFirstFetches } from './refresh-queries.ts'

/** A query that a page shows, with an engine whose answers the test gives one by one. */
function shownQuery(queryKey: string[]) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const calls: { answer: (value: string) => void; fail: () => void }[] = []
  const queryFn = (): Promise<string> =>
    new Promise((resolve, reject) => calls.push({ answer: resolve, fail: () => reject(new Error('away')) }))
  const observer = new QueryObserver(client, { queryKey, queryFn })
  const leave = observer.subscribe(() => undefined)
  onTestFinished(() => {
    leave()
    client.clear()
  })
  /** Resolves once the engine was asked `count` times. */
  const asked = (count: number): Promise<void> => expect.poll(() => calls.length).toBe(count)
  return { client, calls, asked, data: () => observer.getCurrentResult().data }
}

describe('refreshQueries', () => {
  it('fetches once more what was being fetched for the first time when the event came', async () => {
    const { client, calls, asked, data } = shownQuery(['services'])
    await asked(1)
    refreshQueries(client, ['services'])
    calls[0]!.answer('starting')
    await asked(2)
    calls[1]!.answer('failed')
    await expect.poll(data).toBe('failed')
    expect(calls).toHaveLength(2)
  })

  it('fetches once more when the first fetch failed meanwhile', async () => {
    const { client, calls, asked, data } = shownQuery(['services'])
    await asked(1)
    refreshQueries(client, [])
    calls[0]!.fail()
    await asked(2)
    calls[1]!.answer('failed')
    await expect.poll(data).toBe('failed')
  })

  it('fetches a query that has data once', async () => {
    const { client, calls, asked, data } = shownQuery(['services'])
    await asked(1)
    calls[0]!.answer('starting')
    await expect.poll(data).toBe('starting')
    refreshQueries(client, ['services'])
    await asked(2)
    calls[1]!.answer('failed')
    await expect.poll(data).toBe('failed')
    expect(calls).toHaveLength(2)
  })

  it('leaves the state of the event stream alone', async () => {
    const { client, calls, asked, data } = shownQuery(['live', 'link'])
    await asked(1)
    refreshQueries(client, [])
    calls[0]!.answer('open')
    await expect.poll(data).toBe('open')
    expect(calls).toHaveLength(1)
  })
})

describe('repeatFirstFetches', () => {
  it('leaves a query that has data alone', async () => {
    const { client, calls, asked, data } = shownQuery(['jobs'])
    await asked(1)
    calls[0]!.answer('queued')
    await expect.poll(data).toBe('queued')
    repeatFirstFetches(client, ['jobs'])
    expect(calls).toHaveLength(1)
  })
})
