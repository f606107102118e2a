import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { ParaphraseFile } from '../../contract/manifests/datasets.ts'
import { pointsIn } from '../../contract/metrics/points-covered.ts'
import { loadExperiment } from '../../main/manifests/experiment.ts'
import { withParaphrases } from '../../main/manifests/datasets/paraphrases.ts'
import { isStopWord } from '../../providers/platform/models/builtin/language/stop-words.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

const experiment = await loadExperiment(PROJECT_ROOT)
const rungs = experiment.datasets.filter(({ dataset }) => dataset.complexity_level > 0)
const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
const runsOf = (text: string, length: number): string[] =>
  words(text)
    .slice(length - 1)
    .map((_, at) =>
      words(text)
        .slice(at, at + length)
        .join(' '),
    )

describe.each(rungs.map((entry) => [entry.dataset.id, entry] as const))('the paraphrases of %s', (id, rung) => {
  const { paraphrases } = parse(
    readFileSync(join(PROJECT_ROOT, `manifests/paraphrases/${id}.yaml`), 'utf8'),
  ) as ParaphraseFile
  const twins = Object.entries(paraphrases).map(([question, query]) => ({
    question,
    query,
    original: rung.questions.find((each) => each.id === question)!,
  }))

  it('are forty, of answerable questions, of each number of hops', () => {
    expect(twins).toHaveLength(40)
    expect(twins.filter(({ original }) => !original.answerable)).toEqual([])
    expect(new Set(twins.map(({ original }) => original.hops))).toEqual(new Set([1, 2, 3, 4]))
  })

  it('have other words and another order: no run of six words of the original, and words that it does not have', () => {
    const kept = twins.flatMap(({ question, query, original }) => {
      const known = new Set(runsOf(original.query, 6))
      return runsOf(query, 6).flatMap((run) => (known.has(run) ? [`${question}: ${run}`] : []))
    })
    expect(kept).toEqual([])
    const fresh = twins.map(({ question, query, original }) => {
      const known = new Set(words(original.query))
      const content = words(query).filter((word) => !isStopWord(word))
      return { question, share: content.filter((word) => !known.has(word)).length / content.length }
    })
    expect(fresh.filter(({ share }) => share < 0.25)).toEqual([])
  })

  it('neither mention what the answer must mention, nor a step on the way that the original hides', () => {
    expect(twins.filter(({ query, original }) => pointsIn(query, original.answer_keys).length > 0)).toEqual([])
    const told = twins.flatMap(({ question, query, original }) => {
      const hidden = (original.bridge_keys ?? []).filter((names) => pointsIn(original.query, [names]).length === 0)
      return pointsIn(query, hidden).map((names) => `${question}: ${names[0]}`)
    })
    expect(told).toEqual([])
  })

  it('quote no document', () => {
    const documents = readdirSync(join(PROJECT_ROOT, rung.dataset.corpus_path)).map((name) =>
      words(readFileSync(join(PROJECT_ROOT, rung.dataset.corpus_path, name), 'utf8')).join(' '),
    )
    const quoted = twins.flatMap(({ question, query }) =>
      runsOf(query, 6).flatMap((run) =>
        documents.some((text) => ` ${text} `.includes(` ${run} `)) ? [`${question}: ${run}`] : [],
      ),
    )
    expect(quoted).toEqual([])
  })
})

describe('withParaphrases', () => {
  it('adds a dataset beside each chosen one, which shares its documents, gold facts and keys', async () => {
    const { experiment: both, ids } = await withParaphrases(experiment, ['smoke', 'graph_native'])
    expect(ids).toEqual(['smoke', 'graph_native', 'graph_native_paraphrased'])
    const original = both.datasets.find(({ dataset }) => dataset.id === 'graph_native')!
    const added = both.datasets.find(({ dataset }) => dataset.id === 'graph_native_paraphrased')!
    expect(added.profile).toBe(original.profile)
    expect(added.dataset).toMatchObject({
      complexity_level: 0,
      corpus_path: original.dataset.corpus_path,
      queries_file: 'manifests/paraphrases/graph_native.yaml',
    })
    const [twin] = added.questions
    const { query, ...rest } = original.questions.find(({ id }) => id === twin!.id)!
    expect(twin).toMatchObject(rest)
    expect(twin!.query).not.toBe(query)
  })

  it('refuses a run of which no dataset has paraphrases', async () => {
    await expect(withParaphrases(experiment, ['smoke'])).rejects.toThrow(/no dataset of this run has paraphrases/)
  })
})
