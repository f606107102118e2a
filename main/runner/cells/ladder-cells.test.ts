import { thisMachine } from '../../lib/this-machine.ts'
import { describe, expect, it } from 'vitest'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { loadExperiment } from '../../manifests/experiment.ts'
import { rowId } from '../../evidence/rows/row-id.ts'
import { buildRow } from './build-row.ts'
import { cellsInOrder, type CellSpace } from './ladder-cells.ts'

const experiment = await loadExperiment(PROJECT_ROOT)
const [dataset] = experiment.datasets.values()
const space: CellSpace = {
  runId: 'run-1',
  dataset: dataset!,
  aliases: ['vanilla-rag', 'hybrid-rag', 'contextual-rag'].map((name) => experiment.aliases.get(name)!),
  repeats: 1,
  seed: 'ladder',
}
const context = {
  runId: 'run-1',
  dataset: dataset!,
  provider: 'embedded',
  reproducibility: {} as never,
  metrics: [],
  judgePanel: false,
}
const cells = (repeats: number) => [...cellsInOrder({ ...space, repeats })]

describe('cellsInOrder', () => {
  it('repeats the whole matrix round by round; the first round is that of a run without repetitions', () => {
    const [once, thrice] = [cells(1), cells(3)]
    expect(thrice).toHaveLength(3 * once.length)
    expect(thrice.slice(0, once.length)).toEqual(once)
    expect(thrice.map(({ repeat }) => repeat)).toEqual([1, 2, 3].flatMap((repeat) => once.map(() => repeat)))
    expect(new Set(thrice.map(({ rowId: id }) => id)).size).toBe(thrice.length)
    const round = (repeat: number) =>
      thrice.filter((cell) => cell.repeat === repeat).map(({ question, alias }) => `${question.id} ${alias.alias}`)
    expect(round(2).toSorted()).toEqual(round(1).toSorted())
    expect(round(2)).not.toEqual(round(1))
  })

  it('give rows that record which repetition they are, from the second on', () => {
    const [first, second] = cells(2).filter(
      ({ question, alias }) => question === dataset!.questions[0] && alias === space.aliases[0],
    )
    const attempts = [{ outcome: 'timeout' as const, latency_ms: 1, http_status: null, message: null, waited_ms: 0 }]
    const failed = { ok: false as const, error: { type: 'timeout' as const, message: 'x' }, attempts }
    const rows = [first!, second!].map((cell) => buildRow(context, cell, failed, 0, new Date(0)))
    expect(rows.map(({ repeat }) => repeat)).toEqual([undefined, 2])
    expect(Object.keys(rows[1]!).slice(2, 6)).toEqual(['run_id', 'row_id', 'repeat', 'dataset'])
    const key = {
      run_id: 'run-1',
      dataset_id: dataset!.dataset.id,
      question_id: dataset!.questions[0]!.id,
      model: 'vanilla-rag',
    }
    expect(rows.map(({ row_id }) => row_id)).toEqual([rowId(key), rowId({ ...key, repeat: 2 })])
  })

  it('give rows whose latency has no time in which the answer waited for its turn at a model', () => {
    const metrics = { seconds: 31, chunks: 1, llm_calls: 1, cloud_calls: 0, waited_s: 30 }
    const evidence = { answer: 'x', contexts: [], sources: [], token_usage: null, server_metrics: metrics } as never
    const attempts = [{ outcome: 'ok' as const, latency_ms: 31_200, http_status: 200, message: null, waited_ms: 0 }]
    const call = { ok: true as const, attempts, evidence, contextText: null, isCut: false, isUnsearched: false }
    const { operational } = buildRow(context, cells(1)[0]!, call, 0, new Date(0)).metrics
    expect(operational).toMatchObject({
      machine: thisMachine(),
      latency_ms: 1200,
      attempts: [{ latency_ms: 31_200 }],
      server: { waited_s: 30 },
    })
  })

  it('give rows that mark an answer that repeats its prompt, and score it as no text', () => {
    const cell = cells(1).find(({ question }) => question.answer_keys.length > 0)!
    const keys = cell.question.answer_keys.flat().join(' ')
    const rowOf = (answer: string) => {
      const evidence = { answer, contexts: [], sources: [], token_usage: null, server_metrics: null } as never
      const attempts = [{ outcome: 'ok' as const, latency_ms: 1, http_status: 200, message: null, waited_ms: 0 }]
      const call = { ok: true as const, attempts, evidence, contextText: null, isCut: false, isUnsearched: false }
      const { operational, answer: scores } = buildRow(context, cell, call, 0, new Date(0)).metrics
      return [operational.is_repeated_prompt, scores!.scores.points_covered]
    }
    expect(rowOf(keys)).toEqual([undefined, 1])
    expect(rowOf(`<passage>\n<text>\n${keys}`)).toEqual([true, 0])
  })
})
