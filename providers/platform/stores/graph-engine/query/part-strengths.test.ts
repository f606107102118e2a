import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shortDocuments } from '../../../../../tests/helpers/short-documents.ts'
import { extractedChunk, graphOf } from '../../../../../tests/helpers/knowledge-graph.ts'
import { indexOf, matchStrength, termsOf } from '../../../models/builtin/matching/terms.ts'
import type { ExtractedChunk } from '../stored-graph.ts'
import type { KnowledgeGraph } from '../graph/knowledge-graph.ts'
import { findPaths } from './find-paths.ts'
import { partStrengths } from './part-strengths.ts'
import { viewQuestion } from './question-view.ts'
import { scriptedModels } from '../../../../../tests/helpers/scripted-models.ts'

const graphOfExtractions = (extractions: readonly ExtractedChunk['extraction'][]): KnowledgeGraph =>
  graphOf(extractions.map((extraction, at) => extractedChunk(`d${at}`, extraction)))

const WORDS = [
  ...'Ada Brill Norway Norwegian shipyard ships built building constructed founder the of was'.split(' '),
  ...'GX-1 1850 32-bit décor decor Ωmega unfoundedly U.S.A. 12km captain’s'.split(' '),
]
const text = (most: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: most }).map((words) => words.join(' '))
const names = fc.constantFrom('Ada Brill', 'Norwegian Shipyard', 'GX-1', 'Founder House')
const extraction = fc.record({
  entities: fc.array(fc.record({ name: names, type: fc.constantFrom('person', 'ship', ''), description: text(400) }), {
    maxLength: 4,
  }),
  relations: fc.array(
    fc.record({
      source: names,
      target: names,
      keywords: fc.array(text(2), { maxLength: 3 }),
      description: text(30),
    }),
    { maxLength: 4 },
  ),
})

it('strengths of parts are those of comparing each term with the whole text of a part', () => {
  fc.assert(
    fc.property(fc.array(extraction, { minLength: 1, maxLength: 14 }), text(8), (extractions, question) => {
      const graph = graphOfExtractions(extractions)
      const terms = termsOf(question)
      const strengths = partStrengths(graph, terms)
      const expected = (whole: string) => terms.map((term) => matchStrength(term, indexOf(whole)))
      for (const { index, type, name, statements } of graph.entities) {
        const embedded = [name, ...statements.map((statement) => statement.text)].join('\n').slice(0, 4000)
        expect([...strengths.ofEntity(index)]).toEqual(expected(`${type}\n${embedded}`))
      }
      for (const { index, keywords, statements } of graph.relations) {
        const whole = [keywords.join(' '), ...statements.map((statement) => statement.text)].join('\n')
        expect([...strengths.ofRelation(index)]).toEqual(expected(whole))
      }
    }),
    { numRuns: 60 },
  )
}, 20_000)

it('strengths of an entity with long descriptions count its texts as far as they are embedded, to the letter', () => {
  const filler = 'salt '.repeat(795).trim()
  const described = (description: string) => ({ name: 'Ada', type: 'ship', description })
  const graph = graphOfExtractions([
    { entities: [described(filler), described('norwegian shipyardcaptain lighthouse')], relations: [] },
  ])
  const room = 4000 - `Ada\n${filler}\n`.length
  const cut = 'norwegian shipyardcaptain lighthouse'.slice(0, room)
  expect(cut).toBe('norwegian shipyardcap')
  const terms = termsOf('norwegian shipyardcap lighthouse')
  expect([...partStrengths(graph, terms).ofEntity(0)]).toEqual([1, 1, 0])
})

describe('the search for paths', () => {
  /** Steps that the search takes and parts that it puts together, in a graph of so many documents. */
  async function workAt(documents: number) {
    const graph = graphOfExtractions(
      Array.from(shortDocuments(documents), ({ text }) => {
        const found = [...new Set(text.match(/[A-Z][a-z]+ [A-Z][a-z]+/g))]
        const pairs = found.flatMap((source, at) => found.slice(at + 1).map((target) => ({ source, target })))
        return {
          entities: found.map((name) => ({ name, type: 'organization', description: text })),
          relations: pairs.map((pair) => ({ ...pair, keywords: ['joined'], description: text })),
        }
      }),
    )
    let parts = 0
    const counted = <Part>(all: { length: number; at(index: number): Part }) => ({
      ...all,
      at(index: number) {
        parts += 1
        return all.at(index)
      },
    })
    let compared = 0
    const watched = {
      ...graph,
      entities: counted(graph.entities),
      relations: counted(graph.relations),
      textsOfRelation(relation: number) {
        compared += 1
        return graph.textsOfRelation(relation)
      },
    } as KnowledgeGraph
    const models = scriptedModels({ embed: (texts) => texts.map(() => Float32Array.of(1, 0)) })
    const keywords = { high: [], low: [], from: 'question' as const }
    const view = await viewQuestion('Who founded it and whom did that person marry?', keywords, watched, models)
    const anchors = Array.from({ length: 10 }, (_, entity) => ({ entity, weight: 1, named: true, place: null }))
    findPaths(watched, view, anchors, { length: 4, steps: 2000, kept: 10 })
    return { parts, compared }
  }

  it('compares at most as many relations as it may take steps, and puts no part together for it, at any size', async () => {
    for (const documents of [100, 1000]) {
      const { parts, compared } = await workAt(documents)
      expect(parts).toBe(0)
      expect(compared).toBeLessThanOrEqual(2000)
    }
  }, 20_000)
})
