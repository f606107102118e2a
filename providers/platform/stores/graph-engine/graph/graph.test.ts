import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { highest } from '../../vectors/dense-vectors.ts'
import { randomFrom } from '../../../../../tests/helpers/random.ts'
import { extractedChunk, graphOf, mergeExtractions } from '../../../../../tests/helpers/knowledge-graph.ts'
import { createVectorTable } from '../../../../../tests/helpers/vector-table.ts'
import type { ExtractedChunk } from '../stored-graph.ts'
import { personalisedPagerank } from '../query/personalised-pagerank.ts'
import { forOneQuestion } from './knowledge-graph.ts'
import { pictureOf } from './picture.ts'

type Fact = readonly [source: string, target: string, keyword?: string]

const chunk = (
  id: string,
  facts: readonly Fact[],
  entities: { name: string; type: string; description: string }[] = [],
): ExtractedChunk =>
  extractedChunk(id, {
    entities,
    relations: facts.map(([source, target, keyword = 'met']) => ({
      source,
      target,
      keywords: [keyword],
      description: `${source} ${keyword} ${target} (${id}).`,
    })),
  })

it('names of a graph lead to all entities that they may mean, and words to the names that hold them, in the order of the entities', () => {
  const graph = graphOf([
    chunk('a', [['Northern Cable Board (NCB)', 'Harwich']]),
    chunk('b', [['Nordic Cod Bank (NCB)', 'Harwich']]),
  ])
  const named = (name: string) => graph.named.get(name)?.map((entity) => graph.entities.at(entity).id)
  expect(named('ncb')).toEqual(['nordic cod bank', 'northern cable board'])
  expect(named('harwich')).toEqual(['harwich'])
  expect(graph.namesWithWord.get('cable')).toEqual(['northern cable board'])
  // A word alone, a name of one word, a word of a description and an unknown one.
  const none = [named('cable'), graph.namesWithWord.get('harwich'), named('met'), named('bergen')]
  expect(none.every((found) => found === undefined)).toBe(true)
})

describe('mergeExtractions', () => {
  it('joins mentions of one pair whichever way round, and keeps the more frequent direction', () => {
    const { relations } = mergeExtractions(
      [
        chunk('a', [['Ada', 'Bo', 'taught']]),
        chunk('b', [['Bo', 'Ada', 'knew']]),
        chunk('c', [['The Ada', "Bo's", 'Taught']]),
      ],
      12,
    )
    expect([...relations]).toEqual([
      {
        source: 'ada',
        target: 'bo',
        keywords: ['taught', 'knew'],
        weight: 3,
        statements: [
          { text: 'Ada taught Bo (a).', chunkId: 'a' },
          { text: 'Bo knew Ada (b).', chunkId: 'b' },
          { text: "The Ada Taught Bo's (c).", chunkId: 'c' },
        ],
        chunkIds: ['a', 'b', 'c'],
        filePaths: ['a.md', 'b.md', 'c.md'],
      },
    ])
  })

  it('sorts entities by id and relations by both ends, in graphs of several slices too', () => {
    const random = randomFrom(11)
    const name = () => `Q${Math.floor(random() * 7000)}`
    const { entities, relations } = mergeExtractions(
      Array.from({ length: 40 }, (_, at) =>
        chunk(
          `c${at}`,
          Array.from({ length: 400 }, (): Fact => [name(), name()]),
        ),
      ),
      12,
    )
    const ids = Array.from(entities, ({ id }) => id)
    expect(ids.length).toBeGreaterThan(5000)
    expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)))
    const placeOf = new Map(ids.map((id, at) => [id, at]))
    const pairs = Array.from(relations, ({ source, target }) =>
      [placeOf.get(source)!, placeOf.get(target)!].toSorted((a, b) => a - b),
    )
    expect(pairs).toEqual(pairs.toSorted(([a, b], [c, d]) => a! - c! || b! - d!))
  })

  it('names an entity as texts mostly do, types it by majority, and includes what only relations mention', () => {
    const { entities } = mergeExtractions(
      [
        chunk('a', [], [{ name: 'The Red Yard', type: 'place', description: 'It is red.' }]),
        chunk('b', [['Red Yard', 'Bo']], [{ name: 'Red Yard', type: 'organization', description: 'It is red.' }]),
        chunk('c', [['Red Yard', 'Red Yard']], [{ name: 'Red Yard', type: 'organization', description: '' }]),
        chunk('d', [['…', 'Red Yard']], [{ name: '!!', type: 'x', description: 'nothing' }]),
      ],
      12,
    )
    expect([...entities]).toEqual([
      { id: 'bo', name: 'Bo', type: 'unknown', aliases: [], statements: [], chunkIds: ['b'], filePaths: ['b.md'] },
      {
        id: 'red yard',
        name: 'Red Yard',
        type: 'organization',
        aliases: ['The Red Yard'],
        statements: [{ text: 'It is red.', chunkId: 'a' }],
        chunkIds: ['a', 'b', 'c'],
        filePaths: ['a.md', 'b.md', 'c.md'],
      },
    ])
  })

  it('weighs a relation by the different chunks that state it, however often one of them does', () => {
    const twice = chunk('a', [
      ['Ada', 'Bo', 'taught'],
      ['Bo', 'Ada', 'knew'],
    ])
    const { relations } = mergeExtractions([twice, chunk('b', [['Ada', 'Bo']])], 12)
    expect(relations.at(0)).toMatchObject({ weight: 2, keywords: ['knew', 'met', 'taught'] })
  })

  it('keeps so many different statements', () => {
    const chunks = Array.from({ length: 9 }, (_, at) => chunk(`c${at}`, [['Ada', 'Bo']]))
    const { relations } = mergeExtractions(chunks, 4)
    expect([relations.at(0).statements.length, relations.at(0).weight]).toEqual([4, 9])
  })

  it('leaves nothing of a document that is taken away', () => {
    const name = fc.constantFrom('Ada', 'Bo', 'Cy', 'Di', 'Ed')
    const facts = fc.array(fc.tuple(name, name), { maxLength: 6 })
    fc.assert(
      fc.property(fc.array(facts, { minLength: 1, maxLength: 5 }), fc.nat(), (worlds, gone) => {
        const chunks = worlds.map((world, at) => chunk(`c${at}`, world))
        const left = chunks.filter((_, at) => at !== gone % chunks.length)
        const { entities, relations } = mergeExtractions(left, 12)
        const ids = new Set(left.map(({ id }) => id))
        for (const part of [...entities, ...relations]) expect(part.chunkIds.every((id) => ids.has(id))).toBe(true)
        for (const { weight, chunkIds } of relations) expect(weight).toBe(chunkIds.length)
      }),
    )
  })
})

it('forOneQuestion gives the same object for a part that is read again, however many were read meanwhile', () => {
  const chunks = Array.from({ length: 3000 }, (_, at) => chunk(`c${at}`, [[`Ada${at}`, `Bo${at}`]]))
  const graph = forOneQuestion(graphOf(chunks))
  const first = graph.relations.at(0)
  for (let at = 1; at < graph.relations.length; at += 1) graph.relations.at(at)
  expect(graph.relations.at(0)).toBe(first)
  expect([graph.entities.at(0).id, [...graph.relationsOf(0)], first.sourceIndex]).toEqual(['ada0', [0], 0])
  const [named] = graph.named.get('bo2999')!
  expect(graph.entities.at(named!).name).toBe('Bo2999')
})

describe('pictureOf', () => {
  const triangle = (names: readonly string[]): Fact[] =>
    names.flatMap((from, at) => names.slice(at + 1).map((to): Fact => [from, to]))
  const graph = graphOf([
    chunk('big', [...triangle(['Ada', 'Bo', 'Cy', 'Di']), ...triangle(['Ed', 'Fi', 'Gus']), ['Di', 'Ed']]),
    chunk('small', triangle(['Xi', 'Yo', 'Zed'])),
  ])

  it('numbers communities by size and counts the whole', () => {
    const picture = pictureOf(graph, 100)
    const communities = new Map(picture.nodes.map(({ label, community }) => [label, community]))
    expect(['Ada', 'Bo', 'Cy', 'Di'].map((name) => communities.get(name))).toEqual([0, 0, 0, 0])
    expect(new Set(['Ed', 'Fi', 'Gus'].map((name) => communities.get(name))).size).toBe(1)
    expect(picture).toMatchObject({ communities: 3, components: 2, total_nodes: 10, total_edges: 13, truncated: false })
    expect(pictureOf(graph, 100)).toEqual(picture)
  })

  it('shows the best linked of the largest component first, and only edges between what it shows', () => {
    const picture = pictureOf(graph, 2)
    expect(picture.nodes.map(({ label, degree }) => [label, degree])).toEqual([
      ['Di', 4],
      ['Ada', 3],
    ])
    expect(picture.edges).toEqual([{ source: 'ada', target: 'di', weight: 1, keywords: ['met'] }])
    expect(picture.truncated).toBe(true)
  })

  it('shows entities without relations', () => {
    const lonely = graphOf([chunk('a', [], [{ name: 'Ada', type: 'person', description: 'x'.repeat(900) }])])
    const { nodes, communities } = pictureOf(lonely, 10)
    expect([nodes[0]!.degree, nodes[0]!.community, communities, nodes[0]!.description.length]).toEqual([0, 0, 1, 400])
    expect(pictureOf(graphOf([]), 10).nodes).toEqual([])
  })
})

describe('personalisedPagerank', () => {
  const chain = graphOf([
    chunk('a', [
      ['Ada', 'Bo'],
      ['Bo', 'Cy'],
      ['Cy', 'Di'],
      ['Ada', 'Xi'],
    ]),
  ])
  const at = (id: string) => [...chain.entities].findIndex((entity) => entity.id === id)

  it('falls off with distance, follows attraction and sums to 1', () => {
    const even = personalisedPagerank(chain, new Map([[at('ada'), 1]]), () => 1, 100)
    const order = ['ada', 'bo', 'cy', 'di'].map((id) => even.get(at(id))!)
    expect([...order].sort((a, b) => b - a)).toEqual(order)
    expect([...even.values()].reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1, 6)
    const pulled = personalisedPagerank(
      chain,
      new Map([[at('ada'), 1]]),
      (relation) => (chain.relations.at(relation).target === 'xi' ? 9 : 1),
      100,
    )
    expect(pulled.get(at('xi'))!).toBeGreaterThan(even.get(at('xi'))!)
  })

  it('stays within its reach and needs a seed', () => {
    expect([...personalisedPagerank(chain, new Map([[at('di'), 1]]), () => 1, 2).keys()]).toEqual([at('di'), at('cy')])
    expect(personalisedPagerank(chain, new Map(), () => 1, 100).size).toBe(0)
  })
})

describe('vector tables', () => {
  const component = fc.float({ min: -1, max: 1, noNaN: true })
  const vector = fc.array(component, { minLength: 5, maxLength: 5 }).map((values) => Float32Array.from(values))

  it('compare each row with the query', () => {
    fc.assert(
      fc.property(fc.array(vector, { maxLength: 11 }), vector, (rows, query) => {
        const table = createVectorTable(rows)
        const expected = rows.map((row) => row.reduce((sum, value, column) => sum + value * query[column]!, 0))
        const scores = table.similarities(query)
        expect(scores.length).toBe(rows.length)
        expected.forEach((value, row) => {
          expect(scores[row]).toBeCloseTo(value, 5)
        })
      }),
    )
  })

  it('give the highest scores above zero', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -3, max: 6 }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 8 }),
        (scores, limit) => {
          const sorted = [...scores.keys()]
            .filter((at) => scores[at]! > 0)
            .sort((a, b) => scores[b]! - scores[a]! || a - b)
          expect(highest(scores, limit)).toEqual(sorted.slice(0, limit))
        },
      ),
    )
  })
})
