import { describe, expect, it } from 'vitest'
import { inOrder } from './in-order.ts'

/** Work that ends when its signal is aborted. */
function gates(count: number) {
  const all = Array.from({ length: count }, () => Promise.withResolvers<string>())
  const started: number[] = []
  return { all, started, work: (index: number) => (started.push(index), all[index]!.promise) }
}

describe('inOrder', () => {
  it('keeps the order of the items while no more than the limit are under way', async () => {
    const { all, started, work } = gates(4)
    const results = inOrder([0, 1, 2, 3], 2, work)
    const first = results.next()
    await new Promise(setImmediate)
    all[1]!.resolve('b')
    await new Promise(setImmediate)
    expect(started).toEqual([0, 1])
    all[0]!.resolve('a')
    expect((await first).value).toBe('a')
    all[2]!.resolve('c')
    all[3]!.resolve('d')
    expect(await Array.fromAsync(results)).toEqual(['b', 'c', 'd'])
  })

  it('ends with the first failure, when nothing is under way any more', async () => {
    const { all, started, work } = gates(3)
    let over = false
    const results = Array.fromAsync(inOrder([0, 1, 2], 2, work)).finally(() => (over = true))
    const failed = results.catch((error: unknown) => error)
    all[0]!.reject(new Error('torn page'))
    await new Promise(setImmediate)
    expect([started, over]).toEqual([[0, 1], false])
    all[1]!.resolve('b')
    expect(await failed).toMatchObject({ message: 'torn page' })
  })
})
