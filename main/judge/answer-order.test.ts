import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerOrder, letterAt } from './blinding.ts'

const modelNames = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/), { minLength: 1, maxLength: 20 })

describe('answerOrder', () => {
  it('shows each answer once in every rotation, and at each place once in as many rotations as there are answers', () => {
    fc.assert(
      fc.property(modelNames, fc.string(), fc.string(), fc.nat(3), (models, queryId, judge, square) => {
        const size = models.length
        const orders = Array.from({ length: size }, (_, shift) =>
          answerOrder(models, { queryId, judge, rotation: square * size + shift }),
        )
        for (const order of orders) expect(order.toSorted()).toEqual(models.toSorted())
        for (let place = 0; place < size; place += 1)
          expect(new Set(orders.map((order) => order[place])).size).toBe(size)
      }),
    )
  })

  it('does not depend on the order in which the cells were made', () => {
    fc.assert(
      fc.property(modelNames, fc.string(), fc.nat(40), (models, queryId, rotation) => {
        const key = { queryId, judge: 'j', rotation }
        expect(answerOrder(models.toReversed(), key)).toEqual(answerOrder(models, key))
      }),
    )
  })

  it('is another one for most judges, questions, squares and salts', () => {
    const models = ['a', 'b', 'c', 'd', 'e', 'f']
    const orders = Array.from({ length: 200 }, (_, index) => [
      answerOrder(models, { queryId: 'q', judge: `judge-${index}`, rotation: 0 }).join(),
      answerOrder(models, { queryId: `q-${index}`, judge: 'j', rotation: 0 }).join(),
      answerOrder(models, { queryId: 'q', judge: 'j', rotation: 6 * index }).join(),
      answerOrder(models, { queryId: 'q', judge: 'j', rotation: 0 }, `salt-${index}`).join(),
    ])
    for (const column of [0, 1, 2, 3]) expect(new Set(orders.map((row) => row[column])).size).toBeGreaterThan(140)
  })

  it('puts no alias first more often than chance', () => {
    const models = ['a', 'b', 'c', 'd']
    const counts = new Map<string, number>()
    for (let index = 0; index < 2000; index += 1) {
      const [first] = answerOrder(models, { queryId: `q-${index}`, judge: 'j', rotation: 0 })
      counts.set(first!, (counts.get(first!) ?? 0) + 1)
    }
    // Five standard deviations around 500.
    for (const count of counts.values()) expect(Math.abs(count - 500)).toBeLessThan(97)
  })

  it('is fixed: stored permutations of earlier runs must come out again', () => {
    const models = ['vanilla-rag', 'hybrid-rag', 'graph-rag']
    expect(answerOrder(models, { queryId: 'q-1', judge: 'qwen3:8b', rotation: 0 })).toMatchInlineSnapshot(`
      [
        "hybrid-rag",
        "graph-rag",
        "vanilla-rag",
      ]
    `)
  })

  it('letters go on after Z', () => {
    expect([0, 25, 26, 27, 52].map(letterAt)).toEqual(['A', 'Z', 'AA', 'AB', 'BA'])
  })
})
