import { writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { sampleRow } from '../../tests/helpers/evidence-rows.ts'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { streamOf } from '../../tests/helpers/report-rows.ts'
import { artifactFiles } from '../evidence/files/artifact-files.ts'
import { matrixText, toMatrix } from '../../tests/helpers/matrix-in-memory.ts'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { panelInputFromMatrix, panelInputFromRows } from './panel-input.ts'
import { storedAnswers } from '../report/stored-answers.ts'

const selection = { runId: 'run-1', datasetId: 'baseline_curated', models: null, questionIds: null }
const failed = (row: CanonicalRow): CanonicalRow => ({
  ...row,
  status: 'timeout',
  evidence: null,
  error: { type: 'timeout', message: 'slow' },
})
const rows = [
  sampleRow({ question: 'q002', model: 'hybrid-rag', answer: 'Five.' }),
  failed(sampleRow({ question: 'q001', model: 'vanilla-rag' })),
  sampleRow({ question: 'q001', model: 'hybrid-rag', answer: 'Four.' }),
  sampleRow({ question: 'q002', model: 'vanilla-rag', answer: 'Four.' }),
]

describe('panelInputFromRows', () => {
  it('gathers answers by question, failed cells as null, the evidence of all approaches pooled', async () => {
    const input = await panelInputFromRows(streamOf(rows), selection)
    expect(input).toMatchObject({ runId: 'run-1', datasetId: 'baseline_curated', ingestion: { job_id: 'job-1' } })
    expect(input.questions.map(({ id, answers }) => [id, answers])).toEqual([
      [
        'q001',
        [
          { model: 'hybrid-rag', answer: 'Four.' },
          { model: 'vanilla-rag', answer: null },
        ],
      ],
      [
        'q002',
        [
          { model: 'hybrid-rag', answer: 'Five.' },
          { model: 'vanilla-rag', answer: 'Four.' },
        ],
      ],
    ])
    const [first, second] = input.questions
    expect(first).toMatchObject({ groundTruth: 'Four metres.', documents: ['canal-locks.md'] })
    expect(first!.evidence).toEqual([...new Set(first!.evidence)].sort())
    expect(first!.evidence).toContain('the lock rises by four metres')
    expect(second!.evidence.length).toBe(5)
  })

  it('does not depend on the order of rows', async () => {
    const forwards = await panelInputFromRows(streamOf(rows), selection)
    expect(await panelInputFromRows(streamOf(rows.toReversed()), selection)).toEqual(forwards)
  })

  it('keeps to the selection and its order', async () => {
    const input = await panelInputFromRows(streamOf(rows), {
      ...selection,
      models: ['vanilla-rag', 'hybrid-rag', 'graph-rag'],
      questionIds: ['q002', 'q001'],
    })
    expect(input.questions.map(({ id }) => id)).toEqual(['q002', 'q001'])
    expect(input.questions[0]!.answers.map(({ model }) => model)).toEqual(['vanilla-rag', 'hybrid-rag'])
    const one = await panelInputFromRows(streamOf(rows), {
      ...selection,
      models: ['hybrid-rag'],
      questionIds: ['q001'],
    })
    expect(one.questions.map(({ answers }) => answers)).toEqual([[{ model: 'hybrid-rag', answer: 'Four.' }]])
  })

  it('reads the first answer of a cell, not its repetitions', async () => {
    const again = { ...sampleRow({ question: 'q001', model: 'hybrid-rag', answer: 'Nine.' }), repeat: 2 }
    const plain = await panelInputFromRows(streamOf(rows), selection)
    expect(await panelInputFromRows(streamOf([again, ...rows, again]), selection)).toEqual(plain)
  })

  it('leaves out answers that were cut, in a run that leaves them out, and a question that has no other', async () => {
    const of = (row: CanonicalRow, isCut: boolean, excludes: boolean): CanonicalRow => ({
      ...row,
      metrics: {
        ...row.metrics,
        operational: { ...row.metrics.operational, ...(isCut ? { is_cut: true as const } : {}) },
      },
      reproducibility: {
        ...row.reproducibility,
        runtime: { ...row.reproducibility.runtime, ...(excludes ? { excludes_cut_answers: true as const } : {}) },
      },
    })
    const modelsOf = async (excludes: boolean) => {
      const cells = [of(rows[0]!, false, excludes), of(rows[2]!, true, excludes), of(rows[3]!, true, excludes)]
      const { questions } = await panelInputFromRows(streamOf(cells), selection)
      return questions.map(({ id, answers }) => [id, ...answers.map(({ model }) => model)])
    }
    expect(await modelsOf(true)).toEqual([['q002', 'hybrid-rag']])
    expect(await modelsOf(false)).toEqual([
      ['q001', 'hybrid-rag'],
      ['q002', 'hybrid-rag', 'vanilla-rag'],
    ])
  })

  it('refuses rows of another run or ingestion', async () => {
    const [row] = rows as [CanonicalRow]
    const other = structuredClone(row)
    other.reproducibility.ingestion!.content_digest = 'other'
    for (const foreign of [other, { ...row, run_id: 'run-2' }])
      await expect(panelInputFromRows(streamOf([row, foreign]), selection)).rejects.toMatchObject({
        code: 'mixed_answers',
      })
  })
})

describe('a matrix alone', () => {
  const frame = { runId: 'run-1', datasetId: 'baseline_curated', models: [], questionIds: [] }

  it('gives the same answers, without evidence', async () => {
    const input = panelInputFromMatrix(await toMatrix(streamOf(rows), frame))
    const whole = await panelInputFromRows(streamOf(rows), selection)
    expect(input.questions.map(({ id, answers }) => ({ id, answers }))).toEqual(
      whole.questions.map(({ id, answers }) => ({ id, answers })),
    )
    expect(input).toMatchObject({ ingestion: whole.ingestion, questions: [{ evidence: [] }, { evidence: [] }] })
  })

  it('is read where the evidence is missing, and reported where it is missing too', async () => {
    const files = artifactFiles(await temporaryFolder(), 'run-1', 'baseline_curated')
    await expect(storedAnswers(files, selection)).rejects.toMatchObject({ code: 'nothing_to_judge' })
    await writeFile(files.matrix, '{}')
    await expect(storedAnswers(files, selection)).rejects.toMatchObject({ code: 'nothing_to_judge' })
    await writeFile(files.matrix, [...matrixText(await toMatrix(streamOf(rows), frame))].join(''))
    expect((await storedAnswers(files, selection)).questions).toHaveLength(2)
    await writeFile(files.evidence, 'torn')
    await expect(storedAnswers(files, selection)).rejects.toMatchObject({ code: 'torn_tail' })
  })
})
