import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../tests/helpers/seeded-random.ts'
import { clusterable, clusterQuestions } from './clusters.ts'
import { comparePairs } from './compare-pairs.ts'
import { type GoldPassage, passagesOf } from './passages.ts'

const questionsOf = (gold: readonly (readonly GoldPassage[])[]) =>
  gold.map((each, index) => clusterable({ id: `q${index}`, gold: each }))

/** A question on its own passage of one of so many documents. */
const apart = (count: number, documents: number) =>
  questionsOf(
    Array.from({ length: count }, (_, at) => [{ document: `${at % documents}.md`, fact: `Fact ${at} of it.` }]),
  )

describe('passages', () => {
  it('are the same where facts share five words in a row or one holds the other, over others too', () => {
    const facts = [
      'The lock keeper opens the gates at six.',
      'Every day the lock keeper opens the north door.',
      'opens the north door',
      'The weir was rebuilt in 1931.',
    ]
    const [first, second, third, other, elsewhere] = passagesOf([
      ...facts.map((fact) => [{ document: 'a.md', fact }]),
      [{ document: 'b.md', fact: facts[0] }],
    ])
    expect(second).toEqual(first)
    expect(third).toEqual(first)
    expect(other).not.toEqual(first)
    expect(elsewhere).not.toEqual(first)
  })

  it('are one where a question rests on a document as a whole', () => {
    const [whole, part] = passagesOf([[{ document: 'a.md' }], [{ document: 'a.md', fact: 'The weir was rebuilt.' }]])
    expect(part).toEqual(whole)
  })
})

describe('questions on few documents', () => {
  it('are grouped by passages, and the groups say so', () => {
    const { clusters, summary } = clusterQuestions(apart(24, 3))
    expect(new Set(clusters).size).toBe(24)
    expect(summary).toMatchObject({ basis: 'gold_passages', documents: 3, clusters: 24, links_cut: 0 })
    expect(clusterQuestions(apart(80, 3)).summary).toMatchObject({ basis: 'gold_passages', documents: 3 })
  })

  it('stay grouped by documents where there are eight, and where passages leave too few groups', () => {
    expect(clusterQuestions(apart(24, 8)).summary).toMatchObject({ basis: 'gold_documents', clusters: 8 })
    const whole = questionsOf(Array.from({ length: 24 }, (_, at) => [{ document: `${at % 3}.md` }]))
    expect(clusterQuestions(whole).summary.basis).not.toBe('gold_passages')
    expect(clusterQuestions(apart(7, 3)).summary.basis).not.toBe('gold_passages')
  })

  it('are not helped by questions that rest on no document', () => {
    const bare = Array.from({ length: 10 }, (_, at) => clusterable({ id: `bare${at}`, gold: [] }))
    expect(clusterQuestions([...apart(24, 3), ...bare]).summary).toMatchObject({ basis: 'gold_passages', clusters: 34 })
  })

  it('have intervals that hold the mean over new questions about the same documents, whatever the documents do', () => {
    const random = seededRandom('few documents')
    const asked = apart(24, 3)
    const { clusters } = clusterQuestions(asked)
    const experiments = 800
    let held = 0
    for (let experiment = 0; experiment < experiments; experiment += 1) {
      const effects = [-0.2, 0.1, 0.3]
      const scores = asked.flatMap(() => {
        const other = random.uniform()
        return [other + effects[random.below(3)]! + 0.6 * (random.uniform() - 0.5), other]
      })
      const { difference } = comparePairs(
        {
          metric: 'few',
          questions: asked.map(({ id }, index) => ({ id, cluster: clusters[index]! })),
          approaches: ['a', 'b'],
          scores: Float64Array.from(scores),
          range: [0, 1],
        },
        { seed: 'few', method: 'student' },
      ).pairs[0]!
      const truth = 0.2 / 3
      if (difference.interval!.low <= truth && difference.interval!.high >= truth) held += 1
    }
    expect(held / experiments).toBeGreaterThanOrEqual(0.93)
    expect(held / experiments).toBeLessThanOrEqual(0.98)
  })
})
