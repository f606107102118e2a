import { describe, expect, it } from 'vitest'
import { ALIASES, fixtureDataset, fixtureRow, goldenContext, streamOf } from '../../../tests/helpers/report-rows.ts'
import { aggregateRun } from '../../../tests/helpers/aggregate-run.ts'
import { verdictsOf } from './verdict.ts'

const REFUSAL = 'I cannot answer this from the documents.'

/** Notes of a run over eight questions, the last unanswerable, in which some approaches refuse the questions of a rule. */
async function notesWhere(refuses: (approach: string, isUnanswerable: boolean) => boolean): Promise<string[]> {
  const dataset = fixtureDataset('few', 'Few', 1)
  const aliases = [ALIASES.bm25, ALIASES.vanilla, ALIASES.hybrid]
  const rows = aliases.flatMap((alias) =>
    dataset.questions.map(({ answerable }, index) =>
      fixtureRow(dataset, alias, index, { answer: refuses(alias.model, !answerable) ? REFUSAL : 'The answer.' }),
    ),
  )
  const aggregate = await aggregateRun(streamOf(rows), { ...goldenContext(dataset), aliases, unavailable: [] })
  return verdictsOf([aggregate])[0]!.notes
}

describe('the notes on unanswerable questions', () => {
  it('name who answered where one approach refused, and do not say that all answered', async () => {
    const notes = await notesWhere((approach) => approach === 'bm25')
    expect(notes).toContain(
      'Answered unanswerable questions instead of refusing: vanilla-rag 1 of 1, hybrid-rag 1 of 1.',
    )
    expect(notes).toContain('Refused answerable questions: bm25 7 of 7.')
    expect(notes.join(' ')).not.toContain('All 3 approaches')
  })

  it('say that all approaches answered only where each of them did', async () => {
    expect(await notesWhere(() => false)).toContain(
      'All 3 approaches answered the 1 unanswerable question instead of refusing.',
    )
    expect(await notesWhere((_, isUnanswerable) => isUnanswerable)).toContain(
      'No approach answered the 1 unanswerable question.',
    )
  })
})

it('failed answers of several approaches are one sentence, and those of one keep theirs', async () => {
  const dataset = fixtureDataset('few', 'Few', 1)
  const aliases = [ALIASES.bm25, ALIASES.vanilla, ALIASES.hybrid]
  const failedNotes = async (...failing: string[]): Promise<string[]> => {
    const rows = aliases.flatMap((alias) =>
      dataset.questions.map((_, index) => {
        const fails = index === 0 && failing.includes(alias.model)
        return fixtureRow(dataset, alias, index, fails ? { failure: { type: 'timeout', message: 'no answer' } } : {})
      }),
    )
    const aggregate = await aggregateRun(streamOf(rows), { ...goldenContext(dataset), aliases, unavailable: [] })
    return verdictsOf([aggregate])[0]!.notes.filter((note) => note.includes('failed'))
  }
  expect(await failedNotes('bm25', 'hybrid-rag')).toEqual([
    'Answers failed and have no score: bm25 1 of 8 (1 timeout) and hybrid-rag 1 of 8 (1 timeout).',
  ])
  expect(await failedNotes('bm25')).toEqual(['bm25 failed 1 of 8 answers (1 timeout); failed answers have no score.'])
})
