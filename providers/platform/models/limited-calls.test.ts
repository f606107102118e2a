import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { limitOf } from './limited-calls.ts'

it('runs at most as many at a time, in the order in which they came, also after one that fails', async () => {
  const limit = limitOf(2)
  const begun: number[] = []
  let [running, most] = [0, 0]
  const work = async (index: number): Promise<number> => {
    begun.push(index)
    most = Math.max(most, (running += 1))
    await sleep(5)
    running -= 1
    if (index === 1) throw new Error('fails')
    return index
  }
  const outcomes = await Promise.allSettled([0, 1, 2, 3, 4].map((index) => limit(undefined, () => work(index))))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
  expect([begun, most]).toEqual([[0, 1, 2, 3, 4], 2])
})

it('does not begin the work of who left while waiting', async () => {
  const limit = limitOf(1)
  const first = Promise.withResolvers<string>()
  const leaving = new AbortController()
  const begun: string[] = []
  const running = limit(undefined, () => first.promise)
  const left = limit(leaving.signal, () => Promise.resolve(begun.push('left')))
  const stayed = limit(undefined, () => Promise.resolve(begun.push('stayed')))
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  first.resolve('done')
  expect(await running).toBe('done')
  await stayed
  expect(begun).toEqual(['stayed'])
})
